"""Which rules do the tests reject, and could they have?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.distribution import distribution_cells
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link
from speclab.theory.floor import NEARLY_ALWAYS

if TYPE_CHECKING:
    from speclab.records.reader import Run
    from speclab.records.rows import Rule, RuleTest

NAME = "p-values"
SMALLEST = 1e-12
"""Where the axis begins; what is smaller stands there."""
# Told apart by their row as well as by colour.
_ROWS: tuple[tuple[Rule, str, str], ...] = (
    ("ratio", "the right rule", TARGET),
    ("fresh_draw", "fresh draw", DRAFT),
    ("draft_kept", "draft's kept", DRAFT),
)


@figure_of_run(NAME)
def p_values(run: Run) -> str:
    """p-value of each rule at each context, with whether the test could have seen a wrong rule there."""
    cells = distribution_cells(run)
    tests = {rule: [each for cell in cells for each in cell.tests if each.rule == rule] for rule, *_ in _ROWS}
    rejected = {rule: sum(each.verdict in {"rejected", "failed"} for each in made) for rule, made in tests.items()}
    able = sum(each.power >= NEARLY_ALWAYS for each in tests["fresh_draw"])
    finding = (
        f"The right rule is rejected in {rejected['ratio']} of {len(tests['ratio'])} tests; a fresh draw in "
        f"{rejected['fresh_draw']} of {len(tests['fresh_draw'])}, of which {able} could see it"
    )
    caption = Html(
        text(
            "A mark is a test at one context. Filled: the test sees this wrong rule nearly always; hollow: it "
            "may well miss it, and a pass is little evidence. Left of the line a test rejects. At the left "
            "edge stands what is smaller still. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = []
    for cell in cells:
        made = {each.rule: each for each in cell.tests}
        wrong = [made[rule] for rule, *_ in _ROWS[1:] if rule in made]
        rows.append(
            (
                f"{cell.prompt}, seed {cell.seed}",
                f"{cell.total_variation:.3f}",
                _p(made["ratio"]),
                *(part for each in wrong for part in (_p(each), f"{each.power:.3f}")),
            )
        )
    columns = ("context", "distance", *(part for _, name, _ in _ROWS for part in (f"p, {name}", "power")))
    # The right rule has no power: there is nothing to see.
    columns = (*columns[:3], *columns[4:])
    data = table("Tests of the first token", columns, "l" + "r" * (len(columns) - 1), rows)
    return framed(NAME, text(finding), _drawn(tests, cells[0].false_alarm, finding), caption, data)


def _p(test: RuleTest) -> str:
    return "–" if test.p_value.value is None else f"{test.p_value.value:.2g}"


def _drawn(tests: dict[Rule, list[RuleTest]], false_alarm: float, finding: str) -> str:
    with drawing(2.6) as figure:
        figure.subplots_adjust(left=0.24, right=0.96)
        axes = figure.add_subplot()
        axes.axvline(false_alarm, color=INK, linewidth=0.8, linestyle=":")
        for row, (rule, _, colour) in enumerate(_ROWS):
            made = [each for each in tests[rule] if each.p_value.value is not None]
            for place, each in enumerate(made):
                # Spread over the row's height in the order of the contexts, so that none hides another.
                height = row + 0.6 * ((place + 0.5) / len(made) - 0.5)
                able = rule == "ratio" or each.power >= NEARLY_ALWAYS
                axes.plot(
                    [max(SMALLEST, each.p_value.value or 0.0)],
                    [height],
                    color=colour,
                    marker="o",
                    markersize=4.5,
                    markerfacecolor=colour if able else "none",
                )
        axes.set_xscale("log")
        axes.set_xlim(SMALLEST / 2, 2)
        axes.set_yticks(range(len(_ROWS)), [name for _, name, _ in _ROWS])
        axes.set_ylim(len(_ROWS) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("p-value")
        described = f"Three rows of marks over the p-value. {finding}."
        return svg(figure, NAME, "p-values of the right rule and of two wrong ones", described)
