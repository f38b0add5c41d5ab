"""The record of the machine: what is read, what is kept out of it, and what stands where nothing can be read."""

from __future__ import annotations

import getpass
import os
import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from speclab.backends.device import DeviceState
from speclab.measure.faults import FaultCounter, major_faults
from speclab.measure.machine import machine
from speclab.measure.memory import free_memory_bytes, memory_bytes
from speclab.measure.others import Used, other_processes, program_name, used_by_others
from speclab.measure.peak import forget_peak, largest_resident_bytes
from speclab.measure.processor import cores, governor, model
from speclab.records.base import Reading

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No half second of looking at other processes."""
    monkeypatch.setattr("speclab.measure.machine.other_processes", lambda: ())


@pytest.mark.usefixtures("alone")
def test_the_record_names_neither_user_nor_host() -> None:
    """It is published."""
    text = machine(DeviceState(threads=1)).model_dump_json()
    assert platform.node() not in text
    assert "/home" not in text
    assert getpass.getuser() not in text


@pytest.mark.usefixtures("alone")
def test_what_can_be_read_here_is_plausible() -> None:
    """Cores, memory and load are those that the system tells by other ways."""
    found = machine(DeviceState(threads=3))
    assert found.processor.threads == 3
    assert found.processor.cores == cores() <= (os.cpu_count() or 1)
    assert 0 < found.before.free_memory_bytes <= found.processor.memory_bytes <= psutil.virtual_memory().total
    assert found.before.load.value is not None
    assert found.before.load.value >= 0
    assert found.after is None


def test_the_processor_s_model_is_read_or_null_with_a_reason(tmp_path: Path) -> None:
    """Some architectures do not name it."""
    named = tmp_path / "cpuinfo"
    named.write_text("processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t: a b\n", encoding="utf-8")
    assert model(named).value == "Some CPU @ 2.00GHz"
    named.write_text("processor\t: 0\nBogoMIPS\t: 50.00\n", encoding="utf-8")
    assert "names no model" in str(model(named).reason)


def test_the_governor_is_read_or_null_with_a_reason(tmp_path: Path) -> None:
    """A virtual machine shows none."""
    shown = tmp_path / "scaling_governor"
    assert "no governor" in str(governor(shown).reason)
    shown.write_text("performance\n", encoding="utf-8")
    assert governor(shown).value == "performance"


def test_a_container_s_limit_is_the_memory_that_counts(tmp_path: Path) -> None:
    """The smaller of machine and container; file pages that can be given back count as free."""
    total, available = psutil.virtual_memory().total, psutil.virtual_memory().available
    assert memory_bytes(tmp_path) == total
    assert free_memory_bytes(tmp_path) == pytest.approx(available, rel=0.2)
    (tmp_path / "memory.max").write_text("max\n", encoding="utf-8")
    assert memory_bytes(tmp_path) == total
    (tmp_path / "memory.max").write_text("1000000\n", encoding="utf-8")
    (tmp_path / "memory.current").write_text("900000\n", encoding="utf-8")
    assert memory_bytes(tmp_path) == 1_000_000
    assert free_memory_bytes(tmp_path) == 100_000
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 300000\nactive_file 7\n", encoding="utf-8")
    assert free_memory_bytes(tmp_path) == 400_000


def test_heavy_processes_are_named_with_their_share_between_two_looks() -> None:
    """Heaviest first, light ones and those that came meanwhile left out, five at most."""
    looks = iter(
        [
            {1: Used("idle", 5.0), 2: Used("busy", 100.0), **{n: Used(f"p{n}", 0.0) for n in range(10, 20)}},
            {
                1: Used("idle", 5.01),
                2: Used("busy", 100.9),
                3: Used("new", 9.0),
                **{n: Used(f"p{n}", 0.01 * n) for n in range(10, 20)},
            },
        ]
    )
    waited: list[float] = []
    found = other_processes(1.0, look=lambda: next(looks), wait=waited.append)
    assert [each.name for each in found] == ["busy", "p19", "p18", "p17", "p16"]
    assert found[0].share == pytest.approx(0.9)
    assert waited == [1.0]


def test_light_processes_are_not_named() -> None:
    """From a twentieth of a core on."""
    looks = iter(
        [{1: Used("light", 5.0), 2: Used("heavy", 5.0)}, {1: Used("light", 5.02), 2: Used("heavy", 5.03)}]
    )
    found = other_processes(0.5, look=lambda: next(looks), wait=lambda _: None)
    assert [each.name for each in found] == ["heavy"]


def test_the_look_sees_the_parent_and_neither_this_process_nor_its_children() -> None:
    """What we start ourselves is no disturbance by others."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        seen = used_by_others()
        child.kill()
    assert os.getppid() in seen
    assert os.getpid() not in seen
    assert child.pid not in seen


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("python3.11", "python3.11"),
        ("/usr/bin/gcc-12", "gcc-12"),
        ("sshd: somebody@pts/3", "3"),
        ("postgres: app secret idle", "postgres"),
        ("Web Content --token=abc", "Web"),
        ("(sd-pam)", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_only_the_program_s_name_is_kept(title: str, name: str) -> None:
    """Whatever a process writes behind its name stays out of the record."""
    assert program_name(title) == name


def test_faults_are_counted_from_the_counter_s_making() -> None:
    """What came before does not count; where there is no count there is its reason."""
    now = [Reading[int](value=7)]
    counter = FaultCounter(lambda: now[0])
    now[0] = Reading[int](value=12)
    assert counter.since().value == 5
    now[0] = Reading[int](reason="gone")
    assert counter.since().reason == "gone"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot begin the peak anew")
def test_a_peak_can_be_begun_anew() -> None:
    """What was held and given back before does not count."""
    block = bytearray(100_000_000)
    block[::4096] = b"x" * len(block[::4096])
    before = largest_resident_bytes().value or 0
    del block
    forget_peak()
    after = largest_resident_bytes().value or 0
    assert 10_000_000 < after < before - 50_000_000


def test_the_system_s_own_counts_are_read() -> None:
    """Faults never fall, and this process lies in memory with more than a few megabytes."""
    before = major_faults().value
    after = major_faults().value
    assert before is not None
    assert after is not None
    assert after >= before
    assert (largest_resident_bytes().value or 0) > 10_000_000
