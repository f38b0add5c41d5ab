"""Arms in turns: every arm decodes the same prompt a few tokens at a time, so that all see the same machine.

A machine changes its speed by a fifth for seconds at a time. Arms that run one after the other are then compared
at different speeds; arms that take turns of four tokens meet each speed alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from speclab.measure.columns import columns
from speclab.records.rows import ArmRow, Turn

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from speclab.decoding.iterations import Finish, Iteration
    from speclab.decoding.protocols import Clock, Mark
    from speclab.records.rows import ArmName

TOKENS_A_TURN = 4


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to decode.

    Attributes:
        name: Which.
        k: Tokens it proposes in an iteration.
        iterations: Decodes; works on caches that no other arm touches.
    """

    name: ArmName
    k: int
    iterations: Generator[Iteration, None, Finish]


def in_turns(arms: Sequence[Arm], *, new_tokens: int, first: int, clock: Clock) -> tuple[ArmRow, ...]:
    """Run all arms to their end, in turns.

    In turn t (from 1) an arm runs until it has committed at least 4 t tokens; one that is already there waits.
    The device is waited for at both ends of a turn and never within it.

    Args:
        arms: In the order that the rows are returned in.
        new_tokens: Tokens that every arm commits.
        first: Which arm opens the first turn, counted round; each later turn is opened by the next one.
        clock: Times the turns; the arms' iterations were given the same one.

    Raises:
        ValueError: When an arm ends early. Arms are compared over equal counts of tokens only.
    """
    courses = [_Course(arm, clock) for arm in arms]
    turn = 0
    while any(course.committed < new_tokens for course in courses):
        goal = min(TOKENS_A_TURN * (turn + 1), new_tokens)
        for place in range(len(courses)):
            course = courses[(first + turn + place) % len(courses)]
            if course.committed < goal:
                course.run(goal, turn + 1, place)
        turn += 1
    return tuple(course.row() for course in courses)


@dataclass(slots=True)
class _Course:
    """How far one arm has come."""

    arm: Arm
    clock: Clock
    committed: int = 0
    done: list[Iteration] = field(default_factory=list)
    turns: list[tuple[int, int, Mark, Mark, int]] = field(default_factory=list)

    def run(self, goal: int, turn: int, place: int) -> None:
        before = self.committed
        self.clock.synchronize()
        start = self.clock.mark()
        while self.committed < goal:
            step = next(self.arm.iterations, None)
            if step is None:
                msg = (
                    f"arm {self.arm.name} at k = {self.arm.k} ended after {self.committed} tokens; "
                    f"every arm of a block has to commit the same number, at least {goal}"
                )
                raise ValueError(msg)
            self.done.append(step)
            self.committed += len(step.committed)
        self.clock.synchronize()
        self.turns.append((turn, place, start, self.clock.mark(), self.committed - before))

    def row(self) -> ArmRow:
        """Read all marks; only now, since reading one may wait for the device."""
        return ArmRow(
            arm=self.arm.name,
            k=self.arm.k,
            ids=tuple(token for step in self.done for token in step.committed),
            iterations=columns(self.done),
            turns=tuple(
                Turn(turn=turn, place=place, nanoseconds=self.clock.between(start, end), committed=committed)
                for turn, place, start, end, committed in self.turns
            ),
        )
