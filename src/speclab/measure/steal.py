"""Processor time that the host of a virtual machine gave to other guests."""

from __future__ import annotations

import psutil

from speclab.records.base import Reading


def steal_seconds() -> Reading[float]:
    """Seconds since boot, over all cores of the machine."""
    steal = getattr(psutil.cpu_times(), "steal", None)
    if steal is None:
        return Reading[float](reason="this system does not tell time given to other guests")
    return Reading[float](value=float(steal))
