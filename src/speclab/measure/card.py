"""The graphics card: what its driver's tool tells beyond what the arithmetic's library knows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from speclab.records.base import Reading
from speclab.records.machine import Gpu

if TYPE_CHECKING:
    from speclab.backends.device import CardState

T = TypeVar("T")
Tool: TypeAlias = Callable[[Sequence[str]], str]
"""Runs the driver's tool with arguments; OSError or SubprocessError where it cannot."""

THROTTLES = {
    0x02: "clocks set by an application",
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x10: "sync boost",
    0x20: "heat, in software",
    0x40: "heat, in hardware",
    0x80: "power brake",
    0x100: "display clocks",
}
"""What holds the clocks down, by the bit of the driver's mask. Bit 1, an idle card, holds nothing down."""


def nvidia_smi(arguments: Sequence[str]) -> str:
    """Ask the driver's tool."""
    done = subprocess.run(["nvidia-smi", *arguments], capture_output=True, text=True, check=True, timeout=20)
    return done.stdout


class Card:
    """One card, asked field by field: a driver that lacks one field still tells the others."""

    def __init__(self, state: CardState, tool: Tool = nvidia_smi) -> None:
        self._state = state
        self._tool = tool

    def describe(self) -> Gpu:
        """What does not change during a run."""
        return Gpu(
            model=self._state.model,
            memory_bytes=self._state.total_bytes,
            driver=self._read(Reading[str], str, "driver_version"),
            cuda=Reading[str](value=self._state.runtime),
            multiprocessors=Reading[int](value=self._state.multiprocessors),
            ecc=self._read(Reading[bool], _enabled, "ecc.mode.current"),
        )

    def temperature(self) -> Reading[float]:
        """Degrees Celsius."""
        return self._read(Reading[float], float, "temperature.gpu")

    def clock_mhz(self) -> Reading[float]:
        """Clock of the card's processors now."""
        return self._read(Reading[float], float, "clocks.current.sm")

    def throttle(self) -> Reading[str]:
        """What holds the clocks down now; `none` where nothing does."""
        # Drivers before 535 know the field under its former name only.
        return self._read(
            Reading[str], _throttles, "clocks_event_reasons.active", "clocks_throttle_reasons.active"
        )

    def others(self) -> Reading[int]:
        """Other processes that hold memory of the card."""
        try:
            told = self._tool(["--query-compute-apps=pid", "--format=csv,noheader", "-i", self._state.uuid])
        except (OSError, subprocess.SubprocessError) as error:
            return Reading[int](reason=_why(error))
        ids = {int(line) for line in told.split() if line.isdigit()}
        if ids and self._state.allocated_bytes and os.getpid() not in ids:
            return Reading[int](reason="the driver counts processes by ids of the host, not of this container")
        return Reading[int](value=len(ids - {os.getpid()}))

    def _read(self, kind: type[Reading[T]], convert: Callable[[str], T], *fields: str) -> Reading[T]:
        """One field, by the first of its names that the driver knows."""
        reason = ""
        for field in fields:
            try:
                told = self._tool(
                    [f"--query-gpu={field}", "--format=csv,noheader,nounits", "-i", self._state.uuid]
                )
                return kind(value=convert(told.strip()))
            except (OSError, subprocess.SubprocessError) as error:
                reason = _why(error)
            except ValueError:
                reason = f"the driver says {told.strip()[:40]!r}"
        return kind(reason=reason)


def _enabled(text: str) -> bool:
    if text not in {"Enabled", "Disabled"}:
        raise ValueError(text)
    return text == "Enabled"


def _throttles(text: str) -> str:
    mask = int(text, 16)
    return ", ".join(name for bit, name in THROTTLES.items() if mask & bit) or "none"


def _why(error: Exception) -> str:
    """A reason without the command line, which can hold what is not to be published."""
    if isinstance(error, FileNotFoundError):
        return "nvidia-smi is not installed"
    if isinstance(error, subprocess.TimeoutExpired):
        return "nvidia-smi did not answer"
    if isinstance(error, subprocess.CalledProcessError):
        return "nvidia-smi does not know this field"
    return "nvidia-smi could not be run"
