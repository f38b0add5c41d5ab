"""Tables of `speclab disagreement`: how far the models differ along the texts, and the rules there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.distribution import RULES, SEEN, p_value, seen
from speclab.cli.sheets.sheet import ALL, Sheet, figure, row
from speclab.evidence.estimates.disagreement import disagreement_cells

if TYPE_CHECKING:
    from speclab.records.reader import Run


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    return searched(run), tests(run), reach(run), together(run)


def searched(run: Run) -> Sheet:
    """A row a kind, and one for all."""
    kinds: tuple[str | None, ...] = (*dict.fromkeys(cell.kind for cell in disagreement_cells(run)), None)
    rows = tuple(
        row(
            kind or ALL,
            figure(run, "searched_positions", ".0f", kind=kind),
            figure(run, "searched_total_variation", ".3f", at="median", kind=kind),
            figure(run, "searched_total_variation", ".3f", at="largest", kind=kind),
        )
        for kind in kinds
    )
    title = (
        f"Total variation of the target's law p and the draft's q at temperature "
        f"{run.record.plan.distribution.temperature:g}, over every position of the texts"
    )
    return Sheet(title, ("kind", "positions", "median TV", "largest TV"), rows)


def tests(run: Run) -> Sheet:
    """A row a context and rule."""
    rows = tuple(
        row(
            cell.prompt,
            f"{context.position} of {len(cell.total_variations)}",
            f"{context.total_variation:.3f}",
            RULES[each.rule],
            f"{each.total_variation:.4f}",
            f"{each.power:.3f}",
            p_value(each),
            each.verdict,
        )
        for cell in disagreement_cells(run)
        for context in cell.contexts
        for each in context.tests
    )
    plan = run.record.plan.distribution
    title = (
        f"Where the models differ most: {plan.draws:,} draws a rule, false-alarm rate {plan.false_alarm:g} a "
        "test.\nOwn TV: of the rule's own law from p"
    )
    return Sheet(title, ("text", "behind token", "TV", "rule", "own TV", "power", "p-value", "verdict"), rows)


def reach(run: Run) -> Sheet:
    """What the tests at each context could see."""
    rows = tuple(
        row(cell.prompt, str(context.position), *seen(context.tests, cell.false_alarm))
        for cell in disagreement_cells(run)
        for context in cell.contexts
    )
    title = (
        "What these tests could see. Floor: total variation over the cells that no law can have unseen, whatever "
        "it is.\nDraws: as many see that wrong rule's law; both 99 times in 100"
    )
    return Sheet(title, ("text", "behind token", *SEEN), rows)


def together(run: Run) -> Sheet:
    """What the tests of each rule say together."""
    rows = tuple(
        row(
            name,
            "" if rule == "ratio" else figure(run, "disagreement_power", ".3f", rule=rule),
            "" if rule == "ratio" else figure(run, "disagreement_draws", ",.0f", rule=rule, end="smallest"),
            "" if rule == "ratio" else figure(run, "disagreement_draws", ",.0f", rule=rule, end="largest"),
            figure(run, "disagreement_rejections", ".0f", rule=rule),
        )
        for rule, name in RULES.items()
    )
    columns = ("rule", "smallest power", "fewest draws", "most draws", "rejected by Holm")
    return Sheet("All of these contexts together", columns, rows)
