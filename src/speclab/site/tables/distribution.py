"""Whether sampled tokens follow the target's law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.distribution import distribution_cells
from speclab.evidence.estimates.fits import floor
from speclab.site.blocks import block
from speclab.site.html import Html, table
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.rows import Rule, RuleTest

RULES: dict[Rule, str] = {
    "ratio": "right rule",
    "fresh_draw": "fresh draw from p",
    "draft_kept": "draft's token kept",
}
"""What the columns of the rules are called."""
LARGEST_POWER = 0.999
"""Rounded to as many places, a larger one would be shown as certainty."""
HOW_TO_READ = (
    "The distance is the total variation of the two models' laws. Floor: no law farther than this from the "
    "target's, in total variation over the cells, goes unseen more than once in a hundred tries. Power: chance to "
    "see that wrong rule; draws: as many see it in all but one of a hundred tries. Blind: the test would miss "
    "this rule's law more than once in ten tries."
)


@block
def distribution(run_id: str | None = None) -> str:
    """The verdict on the right rule and on two wrong ones, at every context and seed."""
    run = run_of(run_id)
    plan = run.record.plan.distribution
    rows = [
        (cell.prompt, cell.seed, f"{cell.total_variation:.3f}", *verdicts(cell.tests, cell.false_alarm))
        for cell in distribution_cells(run)
    ]
    return table(
        f"The law of the first sampled token, run {run.record.id}",
        ("context", "seed", "distance of the models", *RULES.values()),
        "lrrlll",
        rows,
        note=f"{plan.draws:,} draws a rule at temperature {plan.temperature:g}; a false alarm of "
        f"{plan.false_alarm:g} a test. {HOW_TO_READ}",
    )


def verdicts(tests: Sequence[RuleTest], false_alarm: float) -> list[Html]:
    """For each rule the verdict, and what the test could see of it.

    Args:
        tests: Of one context, one a rule.
        false_alarm: At which they were made.
    """
    by_rule = {each.rule: each for each in tests}
    shown = []
    for rule in RULES:
        test = by_rule[rule]
        details = _right(test, false_alarm) if rule == "ratio" else _wrong(test)
        shown.append(Html("<br>".join([test.verdict, *(f"<small>{each}</small>" for each in details)])))
    return shown


def _right(test: RuleTest, false_alarm: float) -> list[str]:
    p_value = "no p-value" if test.p_value.value is None else f"p = {test.p_value.value:.2g}"
    least = floor(test, false_alarm)
    return [p_value] if least is None else [p_value, f"floor {least:.4f}"]


def _wrong(test: RuleTest) -> list[str]:
    power = f"above {LARGEST_POWER:g}" if test.power > LARGEST_POWER else f"{test.power:.3f}"
    needed = test.needed.value
    return [f"power {power}"] if needed is None else [f"power {power}", f"draws {needed:,}"]
