"""How many guesses stand in an iteration, and what would independent guesses give?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.acceptance import alpha, histogram_share, iterations
from speclab.evidence.estimates.blocks import kinds_of
from speclab.evidence.estimates.decomposition import reference_k
from speclab.site.figures.base import DRAFT, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.figures.panels import ALL, height_of, panels
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "accepted-counts"


@figure_of_run(NAME)
def histogram(run: Run) -> str:
    """Share of iterations in which none, one, … all proposals stood, by kind."""
    k = reference_k(run)
    kinds: dict[str, str | None] = {ALL: None, **{kind: kind for kind in kinds_of(run)}}
    shares = {
        label: [histogram_share(run, k=k, accepted=count, kind=kind).number() for count in range(k + 1)]
        for label, kind in kinds.items()
    }
    independent = {label: _independent(alpha(run, k=k, kind=kind).number(), k) for label, kind in kinds.items()}
    none, every = shares[ALL][0], shares[ALL][-1]
    finding = (
        f"At k = {k} all guesses stand in {every:.0%} of the iterations and none in {none:.0%}; independent "
        f"guesses would give {independent[ALL][-1]:.0%} and {independent[ALL][0]:.0%}"
    )
    caption = Html(
        text(
            f"Complete iterations at k = {k}, by the number of guesses that stood. Bars are counted; diamonds "
            "are what the same α would give if every guess stood or fell by itself. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    columns = ("", "iterations", *(f"{count} of {k}" for count in range(k + 1)))
    rows = []
    for label, kind in kinds.items():
        counted = f"{iterations(run, k=k, kind=kind).number():.0f}"
        rows.append((label, counted, *(f"{each:.0%}" for each in shares[label])))
        rows.append((f"{label}, independent", "", *(f"{each:.0%}" for each in independent[label])))
    data = table("Share of iterations by guesses that stood", columns, "l" + "r" * (k + 2), rows)
    return framed(NAME, text(finding), _drawn(k, shares, independent, finding), caption, data)


def _independent(rate: float, k: int) -> list[float]:
    """Shares of 0 … k accepted proposals where each stands with the same chance, whatever came before."""
    return [*(rate**count * (1 - rate) for count in range(k)), rate**k]


def _drawn(k: int, shares: dict[str, list[float]], independent: dict[str, list[float]], finding: str) -> str:
    labels = tuple(shares)
    with drawing(height_of(labels)) as figure:
        for label, axes in panels(figure, labels).items():
            axes.bar(range(k + 1), shares[label], color=TARGET, alpha=0.6, width=0.7)
            axes.plot(range(k + 1), independent[label], color=DRAFT, linestyle="none", marker="D", markersize=4)
            axes.set_xticks(range(k + 1))
            axes.set_ylim(0, 1)
            axes.grid(visible=False, axis="x")
        figure.supxlabel("guesses that stood", fontsize=10, y=0.06 / figure.get_figheight())
        figure.supylabel("share of iterations", fontsize=10, x=0.02)
        described = f"A small chart for each kind of text and one for all of them. {finding}."
        return svg(figure, NAME, "How many guesses stood in an iteration, by kind of text", described)
