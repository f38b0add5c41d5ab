"""Whether sampled tokens follow the target's law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.distribution import distribution_cells
from speclab.site.blocks import block
from speclab.site.html import Html, table
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from speclab.records.rows import DistributionCell, RuleTest

RULES = ("ratio", "fresh_draw", "draft_kept")


@block
def distribution(run_id: str | None = None) -> str:
    """The verdict on the right rule and on two wrong ones, at every context and seed."""
    run = run_of(run_id)
    plan = run.record.plan.distribution
    rows = [
        (cell.prompt, cell.seed, f"{cell.total_variation:.3f}", *(_verdict(cell, rule) for rule in RULES))
        for cell in distribution_cells(run)
    ]
    return table(
        f"The law of the first sampled token, run {run.record.id}",
        ("context", "seed", "distance of the models", "right rule", "fresh draw from p", "draft's token kept"),
        "lrrlll",
        rows,
        note=f"{plan.draws:,} draws a rule at temperature {plan.temperature:g}; a false alarm of "
        f"{plan.false_alarm:g} a test. The distance is the total variation of the two models' laws. Blind: the "
        "test would miss this rule's law more than once in ten tries.",
    )


def _verdict(cell: DistributionCell, rule: str) -> Html:
    test = next(each for each in cell.tests if each.rule == rule)
    detail = _p_value(test) if rule == "ratio" else f"power {_power(test.power)}"
    return Html(f"{test.verdict}<br><small>{detail}</small>")


def _p_value(test: RuleTest) -> str:
    return "no p-value" if test.p_value.value is None else f"p = {test.p_value.value:.2g}"


def _power(power: float) -> str:
    return "above .999" if power > 0.999 else f"{power:.3f}"
