"""Arms that are all alike on a simulated machine that changes its speed: what a way of measuring makes of nothing.

Every arm does the same work, so whatever is read between them is the machine's doing and not theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from speclab.decoding.iterations import Iteration
from speclab.measure.turns import Arm, in_turns

if TYPE_CHECKING:
    from collections.abc import Generator

    from speclab.decoding.iterations import Finish
    from speclab.records.arms import ArmName, ArmRow

STEP_NS = 10_000_000
RING: Final[tuple[tuple[ArmName, int], ...]] = (("plain", 0), ("draft", 1), ("plain_again", 0), ("draft", 2))
"""As in a real block: the two plain arms half the ring apart. Their names are all that tells the arms apart."""

Pace: TypeAlias = Callable[[float], float]
"""Time of a step, in steps of the machine at its first speed, by the share of the run that is done."""


def slowing(slower: float) -> Pace:
    """A machine that slows evenly through the run, for instance by 0.05 of its step."""
    return lambda done: 1 + slower * done


def jumping(factor: float, at: float) -> Pace:
    """A machine whose step takes `factor` times as long once a share `at` of the run is done."""
    return lambda done: factor if done >= at else 1.0


@dataclass(slots=True)
class DriftingClock:
    """The clock of such a machine, and its work: simulated nanoseconds pass by steps and by nothing else.

    Attributes:
        pace: How it changes.
        steps: Of the whole run.
        done: Steps so far.
        now: Nanoseconds so far.
    """

    pace: Pace
    steps: int
    done: int = 0
    now: int = 0

    def step(self) -> None:
        """Do one step, at the speed of its middle."""
        self.now += round(STEP_NS * self.pace((self.done + 0.5) / self.steps))
        self.done += 1

    def mark(self) -> int:
        """This moment."""
        return self.now

    def between(self, start: int, end: int) -> int:
        """Nanoseconds from one mark to another."""
        return end - start

    def synchronize(self) -> None:
        """Nothing is ever under way."""


def measured_in_turns(
    pace: Pace, *, prompts: int, new_tokens: int, rotation: int = 0
) -> tuple[tuple[ArmRow, ...], ...]:
    """A run as it is made: of each prompt a block, whose arms take turns.

    Args:
        pace: Of the machine, over the whole run.
        prompts: How many.
        new_tokens: Tokens, and so steps, of each arm of a block.
        rotation: Which arm opens the first block; each later block is opened by the next one.
    """
    return tuple(
        block_in_turns(pace, number, prompts=prompts, new_tokens=new_tokens, rotation=rotation)
        for number in range(prompts)
    )


def block_in_turns(
    pace: Pace, number: int, *, prompts: int, new_tokens: int, rotation: int = 0
) -> tuple[ArmRow, ...]:
    """One block of such a run, by its number from 0."""
    steps = len(RING) * new_tokens
    clock = DriftingClock(pace, steps=prompts * steps, done=number * steps)
    arms = [Arm(name, k, _decode(clock, new_tokens)) for name, k in RING]
    return in_turns(arms, new_tokens=new_tokens, first=rotation + number, clock=clock)


def measured_unpaired(pace: Pace, *, prompts: int, new_tokens: int) -> tuple[int, int]:
    """The naive way: plain over all prompts, then speculation over all of them.

    Returns:
        Nanoseconds of all plain steps, and of all speculative ones.
    """
    clock = DriftingClock(pace, steps=2 * prompts * new_tokens)

    def through() -> int:
        start = clock.mark()
        for _ in range(prompts):
            for _ in _decode(clock, new_tokens):
                pass
        return clock.between(start, clock.mark())

    return through(), through()


def _decode(clock: DriftingClock, new_tokens: int) -> Generator[Iteration, None, Finish]:
    """One step a token, all of it in the target's pass."""
    for token in range(new_tokens):
        start = clock.mark()
        clock.step()
        end = clock.mark()
        yield Iteration(
            proposed=(),
            accepted=0,
            committed=(token,),
            complete=True,
            target_length=token + 1,
            clock=clock,
            marks=(start, start, start, end, end, end),
        )
    return "length"
