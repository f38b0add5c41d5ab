"""Distribution: whether the first sampled token after a context follows the target's law.

At each context the right rule of acceptance and two wrong ones are drawn from many times and tested against the
target's law. A pass is evidence only where the same test would see a wrong rule: elsewhere it is blind.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from speclab.backends.table import law
from speclab.decoding.sampling import Sampling
from speclab.experiments.draws import UNIFORMS, draw
from speclab.experiments.protocol import CellJob
from speclab.experiments.replay import numbers
from speclab.experiments.rules import RULES
from speclab.experiments.selection import first_of_each_kind
from speclab.records.base import Reading
from speclab.records.rows import DistributionCell, RuleTest
from speclab.theory.goodness import chi_square, total_variation
from speclab.theory.power import power

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.decoding.protocols import Model
    from speclab.experiments.draws import Law
    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.records.plan import DistributionPlan
    from speclab.records.rows import Rule

    Verdict: TypeAlias = Literal["passed", "failed", "rejected", "missed", "blind", "not testable"]

BLIND_BELOW = 0.9
"""A test with less power than this against a wrong rule says nothing about it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen of one rule at one context: the same for every seed.

    Attributes:
        rule: Which rule.
        total_variation: Of the rule's own law from the target's.
        power: Chance that the test rejects the rule's own law.
    """

    rule: Rule
    total_variation: float
    power: float


@dataclass(frozen=True, slots=True)
class Context:
    """One context: both laws after it, in float64, and what can be seen there."""

    p: Law
    q: Law
    total_variation: float
    seen: tuple[Seen, ...]

    @property
    def blind(self) -> bool:
        """Whether no wrong rule could be seen here, so that a pass of the right one says nothing."""
        return max(each.power for each in self.seen if each.rule != "ratio") < BLIND_BELOW


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


def look_at(p: Law, q: Law, plan: DistributionPlan) -> Context:
    """What the test that a plan describes can see where the target's law is p and the draft's is q."""
    seen = []
    for name, rule in RULES.items():
        own = rule.law(p, q)
        chance = power(p, own, draws=plan.draws, false_alarm=plan.false_alarm, top=plan.cells)
        seen.append(Seen(name, total_variation(p, own), chance))
    return Context(p, q, total_variation(p, q), tuple(seen))


def try_rules(context: Context, plan: DistributionPlan, *, stream: str) -> tuple[RuleTest, ...]:
    """Draw from every rule and test each against p.

    Args:
        context: Both laws.
        plan: Draws, cells, false-alarm rate.
        stream: Names the random numbers; each rule has its own, and the same name gives the same again.
    """
    return tuple(_test(context, each, plan, f"{stream}.{each.rule}") for each in context.seen)


def _test(context: Context, seen: Seen, plan: DistributionPlan, stream: str) -> RuleTest:
    seed = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:8], "big")
    uniforms = np.random.default_rng(seed).random((plan.draws, UNIFORMS))
    tokens = draw(RULES[seen.rule], context.p, context.q, uniforms).first
    counts = np.bincount(tokens, minlength=context.p.size)
    fit = chi_square(counts, context.p, top=plan.cells)
    rejected = {"failed": True, "impossible token": True, "passed": False, "not testable": None}
    return RuleTest(
        rule=seen.rule,
        draws=fit.draws,
        cells=fit.cells,
        pooled_mass=fit.pooled_mass,
        statistic=Reading(value=fit.statistic, reason=fit.reason if fit.statistic is None else None),
        degrees=fit.degrees,
        p_value=Reading(value=fit.p_value, reason=fit.reason if fit.p_value is None else None),
        total_variation=seen.total_variation,
        power=seen.power,
        verdict=verdict(context, seen, rejected=rejected[fit.verdict(plan.false_alarm)]),
    )


def verdict(context: Context, seen: Seen, *, rejected: bool | None) -> Verdict:
    """What a test says.

    Args:
        context: Where it was made.
        seen: What it could see of its rule.
        rejected: Whether the draws were told from p; None where there was nothing to test.
    """
    if rejected is None:
        return "not testable"
    if seen.rule == "ratio":
        if rejected:
            return "failed"
        return "blind" if context.blind else "passed"
    if rejected:
        return "rejected"
    return "blind" if seen.power < BLIND_BELOW else "missed"
