"""Distribution: whether the first sampled token after a context follows the target's law.

At each context the right rule of acceptance and two wrong ones are drawn from many times and tested against the
target's law.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from speclab.backends.table import law
from speclab.decoding.sampling import Sampling
from speclab.experiments.context import look_at, try_rules
from speclab.experiments.protocol import CellJob
from speclab.experiments.replay import numbers
from speclab.experiments.selection import first_of_each_kind
from speclab.records.rows import DistributionCell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.decoding.protocols import Model
    from speclab.experiments.context import Context
    from speclab.experiments.draws import Law
    from speclab.experiments.protocol import EncodedPrompt, Session


class Distribution:
    """The experiment."""

    name = "distribution"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One cell a context and seed."""
        plan = session.plan.distribution
        room = min(session.pair.target.model.context, session.pair.draft.model.context)
        for prompt in first_of_each_kind(session.prompts, plan.contexts_per_kind):
            if len(prompt.ids) > room:
                session.say(
                    f"{prompt.id} is left out: {len(prompt.ids)} tokens, and one of the models takes {room}"
                )
                continue
            held: list[Context] = []  # made by the first seed that is measured, freed with the last
            for seed in range(plan.seeds):
                key = f"distribution.{prompt.id}.s{seed}"
                yield CellJob(key, partial(self._measure, session, prompt, seed, held))

    def _measure(
        self, session: Session, prompt: EncodedPrompt, seed: int, held: list[Context]
    ) -> DistributionCell:
        plan = session.plan.distribution
        if not held:
            sampling = Sampling(temperature=plan.temperature)
            p = law_after(session.pair.target.model, prompt.ids, sampling)
            q = law_after(session.pair.draft.model, prompt.ids, sampling)
            held.append(look_at(p, q, plan))
        started = time.perf_counter_ns()
        tests = try_rules(held[0], plan, stream=f"{prompt.id}.{seed}")
        return DistributionCell(
            prompt=prompt.id,
            kind=prompt.kind,
            seed=seed,
            temperature=plan.temperature,
            false_alarm=plan.false_alarm,
            total_variation=held[0].total_variation,
            acceptance=1 - held[0].total_variation,
            tests=tests,
            nanoseconds=time.perf_counter_ns() - started,
        )


def law_after(model: Model, ids: Sequence[int], sampling: Sampling) -> Law:
    """The law of the next token after a context, in float64 from the model's own logits."""
    return law(numbers(model.fork().feed(ids, last=1)[0]), sampling)
