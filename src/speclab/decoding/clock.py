"""The clock of a machine whose work is done when a call returns."""

from __future__ import annotations

import time


class WallClock:
    """Host time, for backends that compute before they return (numpy, torch on a CPU)."""

    def mark(self) -> int:
        """Nanoseconds of a monotonic clock."""
        return time.perf_counter_ns()

    def between(self, start: int, end: int) -> int:
        """Nanoseconds from one mark to another."""
        return end - start

    def synchronize(self) -> None:
        """Nothing is ever under way."""


WALL_CLOCK = WallClock()
