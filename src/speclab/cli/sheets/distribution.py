"""Tables of `speclab distribution`: every test with what it could see, and what they say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, figure, row
from speclab.evidence.estimates.distribution import distribution_cells
from speclab.evidence.estimates.fits import floor
from speclab.theory.floor import BFLOAT16_TILT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.cli.sheets.sheet import Row
    from speclab.records.reader import Run
    from speclab.records.rows import DistributionCell, Rule, RuleTest

RULES: dict[Rule, str] = {
    "ratio": "right",
    "fresh_draw": "fresh draw",
    "draft_kept": "draft kept",
}


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    return tests(run), reach(run), together(run), limits(run)


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
            p_value(each),
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


def reach(run: Run) -> Sheet:
    """A row a context: what its tests could see, the same for every seed."""
    rate = run.record.plan.distribution.false_alarm
    contexts: dict[str, DistributionCell] = {}
    for cell in distribution_cells(run):
        contexts.setdefault(cell.prompt, cell)
    rows = tuple(row(name, *seen(cell.tests, rate)) for name, cell in contexts.items())
    title = (
        "What these tests could see. Floor: total variation over the cells that no law can have unseen, whatever "
        "it is.\nDraws: as many see that wrong rule's law; both 99 times in 100, at the false-alarm rate above"
    )
    return Sheet(title, ("context", *SEEN), rows)


SEEN = ("cells", "pooled", "floor", *(f"{name}: draws" for rule, name in RULES.items() if rule != "ratio"))
"""Columns of `seen`."""


def seen(tests: Sequence[RuleTest], false_alarm: float) -> Row:
    """What the tests of one context could see."""
    right = next(each for each in tests if each.rule == "ratio")
    least = floor(right, false_alarm)
    return row(
        str(right.cells),
        f"{right.pooled_mass:.3f}",
        "-" if least is None else f"{least:.4f}",
        *(draws(each) for each in tests if each.rule != "ratio"),
    )


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


def limits(run: Run) -> Sheet:
    """What no test of this run can see."""
    tilt = f"fewest draws to see every probability tilted by {BFLOAT16_TILT:.1%}, as bfloat16 rounds"
    rows = (
        row("largest floor of any test", figure(run, "detectable_tv", ".4f")),
        row(tilt, figure(run, "draws_for_tilt", ",.0f")),
    )
    return Sheet("What they cannot see", ("", "computed"), rows)


def p_value(test: RuleTest) -> str:
    """The p-value, or a dash where nothing could be tested."""
    value = test.p_value.value
    return f"{value:.3g}" if value is not None else "-"


def draws(test: RuleTest) -> str:
    """The draws that see this rule's law, or a dash where none do or nobody asked."""
    value = test.needed.value
    return f"{value:,}" if value is not None else "-"
