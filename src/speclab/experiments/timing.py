"""Timing: what a pass costs, over one token and over many, for both models.

Measured in cycles. Each visits every length of both models once, in an order that the next cycle rotates, so that
a change of the machine's speed meets all lengths alike; one cycle is one cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle, islice
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.clock import clock_for
from speclab.experiments.protocol import CellJob
from speclab.measure.disturbance import interference, too_few_cycles
from speclab.measure.faults import FaultCounter
from speclab.measure.prefilled import prefilled, warm_up
from speclab.measure.surroundings import Lookout
from speclab.records.rows import PassTime, TimingCell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from speclab.decoding.protocols import Clock, Model
    from speclab.experiments.protocol import Session
    from speclab.records.plan import TimingPlan
    from speclab.records.rows import ModelRole


class Timing:
    """The experiment. Another clock stands in for a device in tests, another lookout for a busy machine."""

    name = "timing"

    def __init__(self, clock: Clock | None = None, lookout: Callable[[], Lookout] = Lookout) -> None:
        self._clock = clock
        self._lookout = lookout

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One job a cycle."""
        plan = session.plan.timing
        models: dict[ModelRole, Model] = {"target": session.pair.target.model, "draft": session.pair.draft.model}
        for role, model in models.items():
            _require_room(role, model, plan)
        bench: list[Bench] = []  # made by the first cycle that is measured: a resumed run may have none left

        def measure(number: int) -> TimingCell:
            if not bench:
                clock = self._clock or clock_for(session.plan.pair.device)
                ids = list(chain.from_iterable(prompt.ids for prompt in session.prompts))
                bench.append(Bench.prepare(models, ids, plan, clock, self._lookout))
            return bench[0].cycle(number)

        for number in range(plan.cycles):
            yield CellJob(f"timing.r{number}", partial(measure, number))


@dataclass(frozen=True, slots=True)
class Bench:
    """Both models with the context in their caches, every length warmed."""

    models: dict[ModelRole, Model]
    context_tokens: int
    ids: tuple[int, ...]
    """What the passes feed, as many as the longest takes."""
    lengths: tuple[int, ...]
    clock: Clock
    lookout: Callable[[], Lookout]
    warmed: int
    unjudged: str | None

    @classmethod
    def prepare(
        cls,
        models: dict[ModelRole, Model],
        text: Sequence[int],
        plan: TimingPlan,
        clock: Clock,
        lookout: Callable[[], Lookout],
    ) -> Bench:
        """Feed the context and pass every length once, untimed.

        Args:
            models: With empty caches; left as they are.
            text: Tokens of real text, repeated where they are too few.
            plan: Lengths and context.
            clock: Of the device.
            lookout: Watches the machine during each cycle.
        """
        longest = max(plan.lengths)
        stream = tuple(islice(cycle(text), plan.context_tokens + longest))
        context, ids = stream[: plan.context_tokens], stream[plan.context_tokens :]
        # Prefill leaves the last token pending; one more makes the cache hold the whole context.
        ready = {role: prefilled(model, (*context, ids[0]), clock)[0] for role, model in models.items()}
        warmed = sum(warm_up(model, plan.lengths, ids[0]) for model in ready.values())
        few = too_few_cycles(plan.cycles)
        return cls(ready, plan.context_tokens, ids, plan.lengths, clock, lookout, warmed, few)

    def cycle(self, number: int) -> TimingCell:
        """Visit every length of both models once; each cycle starts one visit later than the one before."""
        roles: tuple[ModelRole, ...] = ("target", "draft")
        visits = [(role, length) for length in self.lengths for role in roles]
        start = number % len(visits)
        watched, faults = self.lookout(), FaultCounter()
        passes = tuple(
            PassTime(model=role, tokens=length, nanoseconds=self._time(role, length), place=place)
            for place, (role, length) in enumerate(visits[start:] + visits[:start])
        )
        read, around = faults.since(), watched.since()
        return TimingCell(
            round=number,
            context_tokens=self.context_tokens,
            warm_up_passes=self.warmed,
            major_faults=read,
            surroundings=around,
            passes=passes,
            disturbed=interference(around),
            unjudged=self.unjudged,
        )

    def _time(self, role: ModelRole, length: int) -> int:
        """One pass after the context, as the loop makes it: the target returns every row, the draft its last."""
        model, clock = self.models[role], self.clock
        clock.synchronize()
        start = clock.mark()
        model.feed(self.ids[:length], last=None if role == "target" else 1)
        clock.synchronize()
        spent = clock.between(start, clock.mark())
        model.rollback(self.context_tokens)
        return spent


def _require_room(role: ModelRole, model: Model, plan: TimingPlan) -> None:
    longest = max(plan.lengths)
    needed = plan.context_tokens + longest
    if needed > model.context:
        msg = (
            f"timing needs {needed} positions ({plan.context_tokens} of context and a pass of {longest}) "
            f"and the {role}'s context holds {model.context}: shorten either in the plan"
        )
        raise InputError(msg)
