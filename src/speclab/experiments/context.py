"""One context, where both models' laws are known: what a test of the rules can see there, and the tests.

A pass of the right rule is evidence only where the same test would see a wrong one: elsewhere it is blind.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from speclab.experiments.draws import UNIFORMS, draw
from speclab.experiments.rules import RULES
from speclab.records.base import Reading
from speclab.records.rows import RuleTest
from speclab.theory.floor import NEARLY_ALWAYS
from speclab.theory.goodness import chi_square, total_variation
from speclab.theory.power import MOST_DRAWS, draws_needed, power

if TYPE_CHECKING:
    from speclab.experiments.draws import Law
    from speclab.records.plan import DistributionPlan
    from speclab.records.rows import Rule

    Verdict: TypeAlias = Literal["passed", "failed", "rejected", "missed", "blind", "not testable"]

BLIND_BELOW = 0.9
"""A test with less power than this against a wrong rule says nothing about it."""
NEVER_SEEN = f"no test of up to {MOST_DRAWS:,} draws tells this rule's law from the target's"


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen of one rule at one context: the same for every seed.

    Attributes:
        rule: Which rule.
        total_variation: Of the rule's own law from the target's.
        power: Chance that the test rejects the rule's own law.
        needed: Draws with which it would nearly always be rejected; None where no number of draws is enough.
    """

    rule: Rule
    total_variation: float
    power: float
    needed: int | None


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


def look_at(p: Law, q: Law, plan: DistributionPlan) -> Context:
    """What the test that a plan describes can see where the target's law is p and the draft's is q."""
    seen = []
    for name, rule in RULES.items():
        own = rule.law(p, q)
        chance = power(p, own, draws=plan.draws, false_alarm=plan.false_alarm, top=plan.cells)
        needed = draws_needed(p, own, false_alarm=plan.false_alarm, power=NEARLY_ALWAYS, top=plan.cells)
        seen.append(Seen(name, total_variation(p, own), chance, needed))
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
        needed=Reading(value=seen.needed, reason=NEVER_SEEN if seen.needed is None else None),
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
