"""How a run tells the person who waits what it does and how long it will still take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclab.experiments.estimate import Estimate


class Watch(Protocol):
    """Shows a run while it is measured."""

    def say(self, message: str) -> None:
        """One plain line."""
        ...

    def step(self, done: int, total: int, cell: str, seconds_left: float) -> None:
        """A cell was saved: so many of so many, and about so long is left."""
        ...


class Silent:
    """Shows nothing."""

    def say(self, message: str) -> None:
        """Tell nobody."""

    def step(self, done: int, total: int, cell: str, seconds_left: float) -> None:
        """Tell nobody."""


class TimeLeft:
    """Seconds left of a run: cells to come, each as long as those of its experiment were on average.

    Args:
        estimate: Cells to expect, and seconds while an experiment has none yet.
    """

    def __init__(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._spent: dict[str, list[float]] = {name: [] for name in estimate.cells}

    def saved(self, experiment: str, seconds: float) -> None:
        """Take a saved cell into account."""
        self._spent[experiment].append(seconds)

    @property
    def done(self) -> int:
        """Cells saved."""
        return sum(len(each) for each in self._spent.values())

    @property
    def total(self) -> int:
        """Cells saved and to come. Repeats of disturbed blocks are counted once they are there."""
        return self.done + sum(self._to_come(name) for name in self._spent)

    @property
    def seconds(self) -> float:
        """What is left, about."""
        return sum(self._to_come(name) * self._cell(name) for name in self._spent)

    def spent(self) -> Mapping[str, float]:
        """Seconds by experiment so far."""
        return {name: sum(each) for name, each in self._spent.items()}

    def _to_come(self, name: str) -> int:
        return max(0, self._estimate.cells[name] - len(self._spent[name]))

    def _cell(self, name: str) -> float:
        measured = self._spent[name]
        if measured:
            return sum(measured) / len(measured)
        return self._estimate.seconds[name] / max(1, self._estimate.cells[name])
