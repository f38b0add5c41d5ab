"""The processor: which it is, what this process may use of it, and how fast it is set to run."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import psutil

from speclab.measure.memory import memory_bytes
from speclab.records.base import Reading
from speclab.records.machine import Processor

CPUINFO = Path("/proc/cpuinfo")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def processor(threads: int) -> Processor:
    """Describe the processor.

    Args:
        threads: Threads that the arithmetic uses.
    """
    return Processor(
        model=model(),
        cores=cores(),
        threads=threads,
        governor=governor(),
        frequency_mhz=frequency(),
        memory_bytes=memory_bytes(),
    )


def cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def model(cpuinfo: Path = CPUINFO) -> Reading[str]:
    """The maker's name of the processor."""
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name" and value.strip():
                return Reading[str](value=value.strip())
        return Reading[str](reason=f"{cpuinfo} names no model")
    if platform.system() == "Darwin":
        told = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        if told.stdout.strip():
            return Reading[str](value=told.stdout.strip())
    name = platform.processor()
    return Reading[str](value=name) if name else Reading[str](reason="the system does not name its processor")


def governor(path: Path = GOVERNOR) -> Reading[str]:
    """How the system chooses the clock of the processor."""
    try:
        return Reading[str](value=path.read_text(encoding="utf-8").strip())
    except OSError:
        return Reading[str](reason="the system shows no governor; virtual machines seldom do")


def frequency() -> Reading[float]:
    """The processor's clock now, in MHz."""
    try:
        now = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        now = None
    if now is None or not now.current:
        return Reading[float](reason="the system does not tell the processor's clock")
    return Reading[float](value=float(now.current))
