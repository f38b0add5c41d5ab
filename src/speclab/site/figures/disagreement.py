"""How far do the two models differ along a text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.disagreement import (
    SHARES,
    disagreement_cells,
    searched_positions,
    searched_total_variation,
)
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "distance-along-texts"


@figure_of_run(NAME)
def disagreement(run: Run) -> str:
    """Total variation of the two laws over the positions of the texts, by kind."""
    kinds = list(dict.fromkeys(cell.kind for cell in disagreement_cells(run)))
    ends = {kind: [searched_total_variation(run, at=at, kind=kind).number() for at in SHARES] for kind in kinds}
    least, most = (pick(kinds, key=lambda kind: ends[kind][2]) for pick in (min, max))
    finding = (
        f"Half of the positions lie above {ends[least][2]:.3f} ({least}) to {ends[most][2]:.3f} ({most}); "
        f"the largest distance is {max(each[-1] for each in ends.values()):.3f}"
    )
    caption = Html(
        text(
            "Total variation of the target's law and the draft's at temperature "
            f"{run.record.plan.distribution.temperature:g}, over every position of the texts of a kind. The line "
            "goes from the smallest to the largest, the bar holds the middle half, the tick is the median; the "
            "diamonds are the contexts where the rules were tested. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [
        (kind, f"{searched_positions(run, kind=kind).number():.0f}", *(f"{each:.4f}" for each in ends[kind]))
        for kind in kinds
    ]
    data = table("Total variation by kind", ("kind", "positions", *SHARES), "l" + "r" * 6, rows)
    return framed(NAME, text(finding), _drawn(run, ends, finding), caption, data)


def _drawn(run: Run, ends: dict[str, list[float]], finding: str) -> str:
    with drawing(0.3 * len(ends) + 0.8) as figure:
        figure.subplots_adjust(left=0.2, right=0.96)
        axes = figure.add_subplot()
        for place, (kind, (smallest, lower, median, upper, largest)) in enumerate(ends.items()):
            axes.plot([smallest, largest], [place, place], color=INK, linewidth=0.8)
            axes.plot([lower, upper], [place, place], color=TARGET, linewidth=6, alpha=0.5, solid_capstyle="butt")
            axes.plot([median], [place], color=TARGET, marker="|", markersize=12, markeredgewidth=2)
            tested = [
                context.total_variation for cell in disagreement_cells(run, kind=kind) for context in cell.contexts
            ]
            axes.plot(tested, [place] * len(tested), color=DRAFT, marker="D", markersize=4, linestyle="none")
        axes.set_yticks(range(len(ends)), list(ends))
        axes.grid(visible=False, axis="y")
        axes.set_ylim(len(ends) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.set_xlabel("total variation of the two models' laws")
        described = f"A line for each kind of text, from 0, where both models say the same, to 1. {finding}."
        return svg(figure, NAME, "How far the two models differ along the texts, by kind", described)
