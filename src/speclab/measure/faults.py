"""Pages that this process had to read from disk: a weight that was not in memory shows itself here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from speclab.records.base import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.platform != "win32":
    import resource


def major_faults() -> Reading[int]:
    """Major page faults of this process so far."""
    if sys.platform == "win32":
        return Reading[int](reason="Windows does not tell faults that read from disk apart")
    return Reading[int](value=resource.getrusage(resource.RUSAGE_SELF).ru_majflt)


class FaultCounter:
    """Counts major faults from its making on."""

    def __init__(self, read: Callable[[], Reading[int]] = major_faults) -> None:
        self._read = read
        self._start = read()

    def since(self) -> Reading[int]:
        """Faults since this counter was made."""
        now = self._read()
        if now.value is None or self._start.value is None:
            return now
        return Reading[int](value=now.value - self._start.value)
