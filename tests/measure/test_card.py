"""The record of a graphics card, from a driver's tool that is simulated."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from speclab.backends.device import CardState, DeviceState
from speclab.measure.card import Card
from speclab.measure.machine import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

STATE = CardState(
    model="NVIDIA Simulated 12GB",
    uuid="GPU-0000",
    runtime="12.8",
    multiprocessors=132,
    total_bytes=12 << 30,
    free_bytes=3 << 30,
    allocated_bytes=8 << 30,
    peak_bytes=9 << 30,
)
TOLD = {
    "driver_version": "570.86.10",
    "ecc.mode.current": "Enabled",
    "temperature.gpu": "67",
    "clocks.current.sm": "1740",
    "clocks_event_reasons.active": "0x0000000000000024",
}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No half second of looking at other processes."""
    monkeypatch.setattr("speclab.measure.machine.other_processes", lambda: ())


class Driver:
    """Answers as nvidia-smi does: one field a question, exit code 2 for a field it does not know."""

    def __init__(self, fields: dict[str, str] | None = None, pids: Sequence[int] = ()) -> None:
        self.fields = TOLD if fields is None else fields
        self.pids = pids
        self.asked: list[Sequence[str]] = []

    def __call__(self, arguments: Sequence[str]) -> str:
        self.asked.append(arguments)
        query = arguments[0]
        if query == "--query-compute-apps=pid":
            return "".join(f"{pid}\n" for pid in self.pids)
        field = query.removeprefix("--query-gpu=")
        if field not in self.fields:
            raise subprocess.CalledProcessError(2, ["nvidia-smi", "/home/somebody"])
        return self.fields[field] + "\n"


def test_what_the_driver_tells_is_recorded() -> None:
    """Driver, ECC, temperature, clock, what holds the clocks down, who else is on the card."""
    driver = Driver(pids=(os.getpid(), 11, 12))
    found = machine(DeviceState(threads=4, card=STATE), driver)
    assert found.gpu is not None
    assert found.gpu.model == "NVIDIA Simulated 12GB"
    assert (found.gpu.driver.value, found.gpu.cuda.value, found.gpu.ecc.value) == ("570.86.10", "12.8", True)
    assert found.gpu.multiprocessors.value == 132
    assert (found.before.gpu_temperature.value, found.before.gpu_clock_mhz.value) == (67.0, 1740.0)
    assert found.before.gpu_throttle.value == "power cap, heat, in software"
    assert found.before.gpu_free_bytes.value == 3 << 30
    assert found.before.gpu_others.value == 2
    assert found.processor.threads == 4
    assert all(arguments[-2:] == ["-i", "GPU-0000"] for arguments in driver.asked)
    assert "GPU-0000" not in found.model_dump_json()


def test_an_idle_card_is_held_down_by_nothing() -> None:
    """The driver's bit for an idle card is no throttling."""
    driver = Driver(TOLD | {"clocks_event_reasons.active": "0x0000000000000001"})
    assert Card(STATE, driver).throttle().value == "none"


def test_an_older_driver_is_asked_by_the_former_name() -> None:
    """One field has two names; the second is tried where the first is unknown."""
    fields = {key: value for key, value in TOLD.items() if not key.startswith("clocks_event")}
    driver = Driver(fields | {"clocks_throttle_reasons.active": "0x0000000000000040"})
    assert Card(STATE, driver).throttle().value == "heat, in hardware"


def test_a_field_that_a_card_lacks_is_null_with_the_driver_s_own_words() -> None:
    """Consumer cards have no ECC; the other fields stand."""
    card = Card(STATE, Driver(TOLD | {"ecc.mode.current": "[N/A]", "temperature.gpu": "[Unknown Error]"}))
    assert card.describe().ecc.reason == "the driver says '[N/A]'"
    assert card.temperature().reason == "the driver says '[Unknown Error]'"
    assert card.clock_mhz().value == 1740.0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError("nvidia-smi"), "nvidia-smi is not installed"),
        (subprocess.TimeoutExpired("nvidia-smi", 20), "nvidia-smi did not answer"),
        (PermissionError("/home/somebody"), "nvidia-smi could not be run"),
        (subprocess.CalledProcessError(9, "/home/somebody"), "nvidia-smi does not know this field"),
    ],
)
def test_without_the_tool_every_field_is_null_with_the_reason(error: Exception, reason: str) -> None:
    """A missing or mute tool ends no run, and its command line is not published."""

    def broken(_: Sequence[str]) -> str:
        raise error

    found = machine(DeviceState(threads=1, card=STATE), broken)
    assert found.gpu is not None
    readings: tuple[Any, ...] = (
        found.gpu.driver,
        found.gpu.ecc,
        found.before.gpu_temperature,
        found.before.gpu_clock_mhz,
        found.before.gpu_throttle,
        found.before.gpu_others,
    )
    assert [(each.value, each.reason) for each in readings] == [(None, reason)] * 6
    assert found.gpu.cuda.value == "12.8"


@pytest.mark.parametrize(
    ("pids", "allocated", "value"), [((), 0, 0), ((), 1, 0), ((7,), 0, 1), ((7,), 1, None), ((7, -1), 1, 1)]
)
def test_other_processes_are_counted_only_where_their_ids_mean_something(
    pids: tuple[int, ...], allocated: int, value: int | None
) -> None:
    """In a container the driver lists ids of the host: our own is not among them, so nobody can be told apart."""
    state = CardState("card", "GPU-1", "12.8", 132, 1, 1, allocated, allocated)
    driver = Driver(pids=[os.getpid() if pid < 0 else pid for pid in pids])
    found = Card(state, driver).others()
    assert found.value == value
    assert value is not None or "container" in str(found.reason)


def test_a_run_without_a_card_asks_no_driver() -> None:
    """The fields of a card are null with that reason."""
    driver = Driver()
    found = machine(DeviceState(threads=1), driver)
    assert found.gpu is None
    assert found.before.gpu_clock_mhz.reason == "the run used no graphics card"
    assert driver.asked == []
