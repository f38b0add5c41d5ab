"""Sources of decisions that a test writes down beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Scripted:
    """Gives out the outcomes it was made with and keeps the laws and positions that it was asked with."""

    def __init__(self, outcomes: Sequence[int]) -> None:
        self._outcomes = iter(outcomes)
        self.laws: list[list[float]] = []
        self.positions: list[int] = []

    def choose(self, law: Any, position: int) -> int:
        self.laws.append([float(weight) for weight in law])
        self.positions.append(position)
        return next(self._outcomes)


class Never:
    """A source that must not be asked."""

    def choose(self, law: Any, position: int) -> int:
        msg = f"a random decision was asked for at position {position}: {law}"
        raise AssertionError(msg)
