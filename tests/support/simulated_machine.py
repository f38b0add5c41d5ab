"""A machine whose time is ours: models that take as long as we say, and a clock that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from speclab.backends.table import TableModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MS = 1_000_000
VOCABULARY = 23


@dataclass
class SimulatedMachine:
    """Host and device time in nanoseconds, and the clock over both.

    Work is queued on the device; the host waits for it only when it is told to synchronise, or at each pass where
    `waits` is true (as reading a token makes it do). `pace` multiplies every pass, by the time it starts at.
    """

    pace: Callable[[float], float] = lambda _: 1.0
    waits: bool = True
    host: int = 0
    device: int = 0
    synchronisations: int = 0
    passes: int = 0

    def work(self, nanoseconds: float) -> None:
        """One pass."""
        self.passes += 1
        start = max(self.host, self.device)
        self.device = start + round(nanoseconds * self.pace(start))
        self.host = self.device if self.waits else self.host + 1000

    def mark(self) -> int:
        return self.host

    def between(self, start: int, end: int) -> int:
        return end - start

    def synchronize(self) -> None:
        self.synchronisations += 1
        self.host = max(self.host, self.device)


class TimedTable(TableModel):
    """A table model whose passes take the machine's time."""

    def __init__(
        self,
        logits: NDArray[np.float64],
        machine: SimulatedMachine,
        cost: Callable[[int], float],
        *,
        context: int = 4096,
        fed: list[int] | None = None,
    ) -> None:
        super().__init__(logits, context=context)
        self.machine = machine
        self.cost = cost
        self.fed = [] if fed is None else fed
        """Tokens of each pass, of this model and of all its copies."""

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> NDArray[np.float64]:
        self.machine.work(self.cost(len(ids)))
        self.fed.append(len(ids))
        return super().feed(ids, last=last)

    def fork(self) -> TimedTable:
        twin = TimedTable(self._logits, self.machine, self.cost, context=self.context, fed=self.fed)
        twin.ids = list(self.ids)
        return twin


def timed_pair(
    machine: SimulatedMachine,
    *,
    target_ms: float = 200.0,
    draft_ms: float = 75.0,
    noise: float = 2.0,
    context: int = 4096,
    draft_context: int = 4096,
) -> tuple[TimedTable, TimedTable]:
    """A target and a draft that is the target and some noise; a pass over n tokens costs 2 % more a token.

    Args:
        machine: Whose time they take.
        target_ms: Of one step.
        draft_ms: Of one step.
        noise: On the draft's logits; 0 makes it agree always.
        context: Of the target.
        draft_context: Of the draft.
    """
    dice = np.random.default_rng(7)
    logits = 3 * dice.normal(size=(VOCABULARY, VOCABULARY))
    other = logits + noise * dice.normal(size=logits.shape)

    def cost(milliseconds: float) -> Callable[[int], float]:
        return lambda tokens: milliseconds * MS * (1 + 0.02 * (tokens - 1))

    target = TimedTable(logits, machine, cost(target_ms), context=context)
    return target, TimedTable(other, machine, cost(draft_ms), context=draft_context)
