"""Tables of `speclab distribution`: every test with what it could see, and what they say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, figure, row
from speclab.evidence.estimates.distribution import distribution_cells

if TYPE_CHECKING:
    from speclab.records.reader import Run
    from speclab.records.rows import Rule, RuleTest

RULES: dict[Rule, str] = {
    "ratio": "right",
    "fresh_draw": "fresh draw",
    "draft_kept": "draft kept",
}


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    return tests(run), together(run)


def tests(run: Run) -> Sheet:
    """A row a context, seed and rule."""
    rows = tuple(
        row(
            cell.prompt,
            str(cell.seed),
            f"{cell.total_variation:.3f}",
            RULES[each.rule],
            f"{each.total_variation:.4f}",
            f"{each.power:.3f}",
            _p_value(each),
            each.verdict,
        )
        for cell in distribution_cells(run)
        for each in cell.tests
    )
    plan = run.record.plan.distribution
    title = (
        f"First token after each context at temperature {plan.temperature:g}: {plan.draws:,} draws a rule, "
        f"false-alarm rate {plan.false_alarm:g} a test.\n"
        "TV: total variation of the target's law p and the draft's q; own TV: of the rule's own law from p"
    )
    columns = ("context", "seed", "TV", "rule", "own TV", "power", "p-value", "verdict")
    return Sheet(title, columns, rows)


def together(run: Run) -> Sheet:
    """What all tests of a rule say together, and where none of them could say anything."""
    rows = (
        *(
            row(
                name,
                figure(run, "smallest_p", ".1e", rule=rule),
                figure(run, "p_below", ".0f", rule=rule, limit=0.05),
                figure(run, "family_rejections", ".0f", rule=rule),
            )
            for rule, name in RULES.items()
        ),
        row("blind contexts", "", "", figure(run, "blind_contexts", ".0f")),
    )
    columns = ("rule", "smallest p", "p < 0.05", "rejected by Holm")
    title = "All tests together; in a blind context no wrong rule can be seen, so a pass there is no evidence"
    return Sheet(title, columns, rows)


def _p_value(test: RuleTest) -> str:
    value = test.p_value.value
    return f"{value:.3g}" if value is not None else "-"
