"""What one iteration did and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from speclab.decoding.protocols import Clock, Mark

Finish: TypeAlias = Literal["stop", "length", "context"]
"""Why a generation ended: an end-of-text token, the budget, or the target's context."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Nanoseconds of one iteration, by what they went into; together they are the whole of it."""

    draft: int
    verify: int
    accept: int
    rollback: int
    other: int

    @property
    def total(self) -> int:
        """Nanoseconds of the whole iteration."""
        return self.draft + self.verify + self.accept + self.rollback + self.other

    @property
    def overhead(self) -> int:
        """Nanoseconds that went neither into drafting nor into the target's pass."""
        return self.accept + self.rollback + self.other


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round of propose, check, commit and cut back.

    Attributes:
        proposed: The tokens that were proposed.
        accepted: Length of their leading run that stood, whether or not a stop cut it.
        committed: What entered the output: `accepted` proposals and one token of the target's own, unless a
            stop cut it.
        complete: Whether k tokens were proposed and nothing was cut. Rates are computed from these alone.
        target_length: Positions in the target's cache afterwards.
    """

    proposed: tuple[int, ...]
    accepted: int
    committed: tuple[int, ...]
    complete: bool
    target_length: int
    clock: Clock = field(repr=False, compare=False)
    marks: tuple[Mark, Mark, Mark, Mark, Mark, Mark] = field(repr=False, compare=False)
    """Start, before drafting, before the check, before the rule, before the rollback, after it."""

    def spent(self) -> Spent:
        """Read the clock's marks. On a GPU this waits, so read them after the turn and not within it."""
        start, draft, verify, accept, rollback, end = self.marks
        between = self.clock.between
        return Spent(
            draft=between(draft, verify),
            verify=between(verify, accept),
            accept=between(accept, rollback),
            rollback=between(rollback, end),
            other=between(start, draft),
        )
