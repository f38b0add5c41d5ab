"""The most memory that this process held."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from speclab.records.base import Reading

if sys.platform != "win32":
    import resource

CLEAR_REFS = Path("/proc/self/clear_refs")


def largest_resident_bytes() -> Reading[int]:
    """Largest resident size that this process had, so far or since `forget_peak`."""
    if sys.platform == "win32":
        return Reading[int](reason="read on Linux and macOS only")
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Reading[int](value=largest if sys.platform == "darwin" else largest * 1024)


def forget_peak() -> None:
    """Let the peak begin anew from what is held now, so that fetching and converting a model is not in it.

    Linux only; elsewhere the peak stays that of the whole process.
    """
    with suppress(OSError):
        CLEAR_REFS.write_text("5", encoding="ascii")
