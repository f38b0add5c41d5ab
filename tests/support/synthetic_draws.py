"""The simulated run's draws: three rules at contexts that see, and at one that is blind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.base import Reading
from speclab.records.rows import DisagreementCell, DisagreementContext, DistributionCell, RuleTest
from synthetic_rows import ALPHA, MS

if TYPE_CHECKING:
    import random

    from speclab.records.plan import Plan

PROMPT_TOKENS = 60


def distribution_cell(plan: Plan, kind: str, number: int, seed: int, dice: random.Random) -> DistributionCell:
    """Three rules at one context; copying is blind, since draft and target agree there."""
    blind = kind == "copying"
    apart = 0.002 if blind else 0.1 + 0.3 * (1 - ALPHA[kind])
    return DistributionCell(
        prompt=f"{kind}-{number}",
        kind=kind,
        seed=seed,
        temperature=plan.distribution.temperature,
        false_alarm=plan.distribution.false_alarm,
        total_variation=apart,
        acceptance=1 - apart,
        tests=_tests(plan, apart, dice, blind=blind),
        nanoseconds=150 * MS,
    )


def disagreement_cell(plan: Plan, kind: str, number: int, dice: random.Random) -> DisagreementCell:
    """One text, searched whole; the models differ most behind token 38, copying no more than .1 even there."""
    largest = 0.1 if kind == "copying" else 0.5 + 0.3 * (1 - ALPHA[kind])
    tokens = PROMPT_TOKENS + plan.speed.new_tokens
    variations = [largest * (place * 27 % 1000) / 1000 for place in range(tokens)]
    variations[37] = largest
    context = DisagreementContext(
        position=38, total_variation=largest, tests=_tests(plan, largest, dice, blind=False)
    )
    return DisagreementCell(
        prompt=f"{kind}-{number}",
        kind=kind,
        prompt_tokens=PROMPT_TOKENS,
        text_tokens=tokens,
        temperature=plan.distribution.temperature,
        false_alarm=plan.distribution.false_alarm,
        total_variations=tuple(variations),
        contexts=(context,),
        nanoseconds=900 * MS,
    )


def _tests(plan: Plan, apart: float, dice: random.Random, *, blind: bool) -> tuple[RuleTest, ...]:
    def test(rule: str) -> RuleTest:
        right = rule == "ratio"
        p_value = dice.random() if right or blind else 1e-12
        verdict = ("blind" if blind else "passed") if right else ("blind" if blind else "rejected")
        needed = round(60 / apart**2)
        return RuleTest.model_validate(
            {
                "rule": rule,
                "draws": plan.distribution.draws,
                "cells": plan.distribution.cells,
                "pooled_mass": 0.01,
                "statistic": Reading[float](value=50.0 if p_value > 0.001 else 9000.0),
                "degrees": plan.distribution.cells - 1,
                "p_value": Reading[float](value=p_value),
                "total_variation": 0.0 if right else apart * 0.5,
                "power": plan.distribution.false_alarm if right else 0.2 if blind else 1.0,
                "needed": Reading[int](reason="the target's own law") if right else Reading[int](value=needed),
                "verdict": verdict,
            }
        )

    return tuple(test(rule) for rule in ("ratio", "fresh_draw", "draft_kept"))
