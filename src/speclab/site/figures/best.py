"""Which k is best for which kind of text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.evidence.estimates.speed import speedup
from speclab.site.figures.base import INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.figures.panels import ALL
from speclab.site.html import Html, shown, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run

NAME = "best-k"


@figure_of_run(NAME)
def best_k(run: Run) -> str:
    """The best of the measured k for each kind, and the speed-up at every one."""
    ks = ks_of(run)
    kinds: dict[str, str | None] = {ALL: None, **{kind: kind for kind in kinds_of(run)}}
    found = {label: [speedup(run, k=k, kind=kind) for k in ks] for label, kind in kinds.items()}
    best = {label: _best(each) for label, each in found.items()}
    chosen = sorted({ks[place] for label, place in best.items() if label != ALL})
    finding = f"k = {chosen[0]} is the best of the measured ones for every kind"
    if len(chosen) > 1:
        few = ", ".join(map(str, chosen[:-1]))
        finding = f"The best of the measured k is {few} or {chosen[-1]}, by the kind of text"
    caption = Html(
        text(
            "Speed-up over plain decoding; the best of a kind is filled. It is the largest of several measured "
            "values and so leans high, and where neighbours are close another run may choose another k. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [
        (label, *(shown(value, ".2f") for value in each), str(ks[best[label]])) for label, each in found.items()
    ]
    columns = ("", *(f"k = {k}" for k in ks), "best k")
    data = table("Speed-up by kind and k", columns, "l" + "r" * (len(ks) + 1), rows)
    return framed(NAME, text(finding), _drawn(ks, found, best, finding), caption, data)


def _best(found: list[Estimate]) -> int:
    return max(range(len(found)), key=lambda place: found[place].number())


def _drawn(ks: tuple[int, ...], found: dict[str, list[Estimate]], best: dict[str, int], finding: str) -> str:
    with drawing(0.34 * len(found) + 0.7) as figure:
        figure.subplots_adjust(left=0.22, right=0.97)
        axes = figure.add_subplot()
        for row, (label, each) in enumerate(found.items()):
            for place, value in enumerate(each):
                is_best = place == best[label]
                axes.plot(
                    [place - 0.22],
                    [row],
                    color=TARGET,
                    marker="o",
                    markersize=7 if is_best else 5,
                    markerfacecolor=TARGET if is_best else "none",
                )
                weight = "bold" if is_best else "normal"
                axes.annotate(
                    f"{value.number():.2f}", (place - 0.08, row), va="center", color=INK, fontsize=9, weight=weight
                )
        axes.set_xticks(range(len(ks)), [f"k = {k}" for k in ks])
        axes.set_yticks(range(len(found)), list(found))
        axes.set_xlim(-0.5, len(ks) - 0.4)
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.grid(visible=False)
        described = f"A row for each kind of text, a circle for each k, filled where it is best. {finding}."
        return svg(figure, NAME, "Best k by kind of text", described)
