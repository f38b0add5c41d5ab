"""Where the two models differ most, and whether the rules can be told apart there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.disagreement import disagreement_cells
from speclab.site.blocks import block
from speclab.site.html import table
from speclab.site.runs import run_of
from speclab.site.tables.distribution import HOW_TO_READ, RULES, verdicts

if TYPE_CHECKING:
    from speclab.records.plan import Plan


@block
def disagreement(run_id: str | None = None) -> str:
    """The three rules at the contexts of every text where the models differ most."""
    run = run_of(run_id)
    plan = run.record.plan.distribution
    rows = [
        (
            cell.prompt,
            f"{context.position} of {len(cell.total_variations)}",
            f"{context.total_variation:.3f}",
            *verdicts(context.tests, cell.false_alarm),
        )
        for cell in disagreement_cells(run)
        for context in cell.contexts
    ]
    return table(
        f"The contexts where the models differ most, run {run.record.id}",
        ("text", "behind token", "distance of the models", *RULES.values()),
        "lrrlll",
        rows,
        note="Every position of each text was searched: the prompt, and what plain decoding made of it where that "
        f"was measured.{_least(run.record.plan)} {plan.draws:,} draws a rule at temperature "
        f"{plan.temperature:g}; a false alarm of {plan.false_alarm:g} a test. {HOW_TO_READ}",
    )


def _least(plan: Plan) -> str:
    """How long a context had to be."""
    return f" Contexts have {plan.disagreement.least_tokens} tokens at least." if plan.disagreement else ""
