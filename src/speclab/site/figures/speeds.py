"""Where does speculation pay, and at which k?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from speclab.evidence.estimates.speed import noise_floor
from speclab.evidence.estimates.speed import speedup as estimate_speedup
from speclab.site.figures.base import BAND, INK, drawing, figure_of_run, framed, svg
from speclab.site.figures.panels import ByKind, height_of
from speclab.site.html import Html, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from speclab.records.reader import Run

NAME = "speedup-by-kind"


@figure_of_run(NAME)
def speedup(run: Run) -> str:
    """Speed-up by k and kind: every prompt's point, intervals where there are any, and the band of noise."""
    found = ByKind.of(run, estimate_speedup)
    low, high = found.extremes()
    finding = (
        f"From {found.means[low].number():.2f} times plain's speed ({low[0]}, k = {low[1]}) "
        f"to {found.means[high].number():.2f} ({high[0]}, k = {high[1]})"
    )
    caption = Html(
        text(
            "Decode time of plain over decode time of the arm. A dot is a prompt, a line the mean of a kind, a "
            "bar its interval at "
        )
        + number("given.confidence")
        + text(
            ", where there are prompts enough for one. The grey band is plain against plain: what this way of "
            "measuring calls a difference where there is none, as a mean over all prompts; a single block can be "
            "off by more. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    columns = ("", *(f"k = {k}" for k in found.ks))
    data = table("Speed-up of kinds and prompts", columns, "l" + "r" * len(found.ks), found.rows(".2f"))
    return framed(NAME, text(finding), _drawn(run, found, finding), caption, data)


def _drawn(run: Run, found: ByKind, finding: str) -> str:
    least, most = found.extent()
    bottom, top = min(0.8, least), max(1.2, most)
    room = 0.08 * (top - bottom)
    band = _band(run)

    def beneath(axes: Axes) -> None:
        axes.axhspan(*band, color=BAND, alpha=0.35, linewidth=0)
        axes.axhline(1, color=INK, linewidth=0.8, linestyle=":")

    with drawing(height_of(found.labels)) as figure:
        found.draw(figure, bottom=bottom - room, top=top + room, beneath=beneath)
        figure.supylabel("speed-up over plain", fontsize=10, x=0.02)
        described = f"A small chart for each kind of text and one for all of them. {finding}."
        return svg(figure, NAME, "Speed-up over plain decoding by kind of text and k", described)


def _band(run: Run) -> tuple[float, float]:
    """The interval of plain against plain; where there is none, as far from 1 as its value is, both ways."""
    noise = noise_floor(run)
    if noise.low is not None and noise.high is not None:
        return noise.low, noise.high
    off = abs(math.log(noise.number()))
    return math.exp(-off), math.exp(off)
