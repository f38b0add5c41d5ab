"""Where does the time of an iteration go?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.evidence.estimates.blocks import ks_of
from speclab.evidence.estimates.speed import (
    draft_share,
    iteration_steps,
    iteration_tokens,
    overhead_share,
    verify_share,
)
from speclab.site.figures.base import BAND, DRAFT, INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, shown, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "iteration-time"
# Told apart by hatching as well as by colour, in the order in which they happen.
_PARTS = (("drafting", draft_share, DRAFT, "///"), ("checking", verify_share, TARGET, ""))


@figure_of_run(NAME)
def iteration_time(run: Run) -> str:
    """An iteration's time in steps of plain decoding, by k, split into drafting, checking and everything else."""
    ks = ks_of(run)
    steps = {k: iteration_steps(run, k=k) for k in ks}
    shares = {k: {name: share(run, k=k) for name, share, *_ in _PARTS} for k in ks}
    rest = {k: overhead_share(run, k=k) for k in ks}
    at = 4 if 4 in ks else ks[-1]
    parts = " and ".join(f"{name} {shares[at][name].number():.0%}" for name, *_ in _PARTS)
    finding = f"At k = {at} an iteration takes {steps[at].number():.1f} steps of plain decoding: {parts}"
    caption = Html(
        text(
            "Mean time of an iteration over all kinds of text, in steps of plain decoding, and what it is spent "
            f"on; everything else takes {rest[at].number():.2%} at k = {at}. The dots are the tokens that it "
            "writes on average: guessing pays where the dot lies beyond the bar. Means over all "
            "iterations, those that the end of a text cut short too; a speed-up over all kinds weighs the kinds "
            "alike and can differ from their quotient. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [
        (
            f"k = {k}",
            shown(steps[k], ".2f"),
            *(shown(each, ".0%") for each in shares[k].values()),
            shown(rest[k], ".2%"),
            shown(iteration_tokens(run, k=k), ".2f"),
        )
        for k in ks
    ]
    columns = ("", "steps", *(name for name, *_ in _PARTS), "all else", "tokens")
    data = table("Time and tokens of an iteration", columns, "lrrrrr", rows)
    return framed(NAME, text(finding), _drawn(run, ks, finding), caption, data)


def _drawn(run: Run, ks: tuple[int, ...], finding: str) -> str:
    with drawing(0.34 * len(ks) + 1.0) as figure:
        figure.subplots_adjust(right=0.96)
        axes = figure.add_subplot()
        for place, k in enumerate(ks):
            long = iteration_steps(run, k=k).number()
            start = 0.0
            for name, share, colour, hatch in _PARTS:
                part = share(run, k=k).number() * long
                look: dict[str, Any] = {"color": colour, "alpha": 0.6, "hatch": hatch, "linewidth": 0}
                axes.barh(place, part, left=start, height=0.55, label=None if place else name, **look)
                start += part
            axes.barh(place, long - start, left=start, height=0.55, color=BAND)
            axes.plot([iteration_tokens(run, k=k).number()], [place], color=INK, marker="o", markersize=5)
        axes.set_yticks(range(len(ks)), [f"k = {k}" for k in ks])
        axes.grid(visible=False, axis="y")
        axes.set_ylim(len(ks) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.legend(loc="upper right")
        axes.set_xlabel("steps of plain decoding; tokens written")
        described = f"A bar for each k, longer from one to the next, with a dot for the tokens written. {finding}."
        return svg(figure, NAME, "Where the time of an iteration goes, by k", described)
