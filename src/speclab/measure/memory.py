"""Memory of the machine, or of the container that this process is kept in."""

from __future__ import annotations

from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")


def memory_bytes(cgroup: Path = CGROUP) -> int:
    """Memory that this process may use: the machine's, or the container's where that is less."""
    total = int(psutil.virtual_memory().total)
    limit = _limit(cgroup)
    return total if limit is None else min(total, limit)


def free_memory_bytes(cgroup: Path = CGROUP) -> int:
    """Memory that is free or can be had at once, within the container where there is one."""
    available = int(psutil.virtual_memory().available)
    limit = _limit(cgroup)
    if limit is None:
        return available
    # Pages of files that nobody used lately are given back on demand, as the machine's own figure counts them.
    used = _number(cgroup / "memory.current") or 0
    return max(0, min(available, limit - used + _inactive_file(cgroup)))


def resident_bytes() -> int:
    """What of this process lies in memory now, mapped files included."""
    return int(psutil.Process().memory_info().rss)


def _limit(cgroup: Path) -> int | None:
    return _number(cgroup / "memory.max")


def _inactive_file(cgroup: Path) -> int:
    try:
        lines = (cgroup / "memory.stat").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)


def _number(path: Path) -> int | None:
    """A file that holds one number; None where it is missing or says `max`."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
