"""How rare are near-ties in float32, and how near is near enough?"""

from __future__ import annotations

import math
from string import digits
from typing import TYPE_CHECKING

from speclab.evidence.estimates.margins import (
    SMALL_GAP,
    gap_density,
    gaps_below,
    largest_shape_change,
    margin_lengths,
    margin_rows,
    mean_gap_change,
    smallest_gap,
    tokens_to_divergence,
)
from speclab.site.figures.base import BAND, DRAFT, INK, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, shown, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run

NAME = "gaps-and-shapes"
A_DECADE = 4
"""Points of the curve."""
LARGEST = 10.0
"""Where the curve ends, in logits."""
_RAISED = str.maketrans("-" + digits, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@figure_of_run(NAME)
def margins(run: Run) -> str:
    """The share of rows with a gap under each size, and what the length of a pass changes."""
    lengths = margin_lengths(run)
    changes = {length: mean_gap_change(run, length=length) for length in lengths}
    below = {limit: gaps_below(run, limit=limit) for limit in _limits(run)}
    finding = _finding(run)
    caption = Html(
        text(
            "The draft in float32. The marks are the share of rows whose two largest logits lie closer together "
            f"than that; the dashed line goes on from the gaps under {SMALL_GAP:g} as if they were spread evenly "
            "down to zero. The grey band is the mean change of a gap between passes over one token and over "
            f"{lengths[0]} to {lengths[-1]}. Half of what the line says there is the share of rows that such a "
            "pass decides otherwise. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [(f"{limit:.2g}", f"{each.number():.0f}", f"{_share(each):.2e}") for limit, each in below.items()]
    data = table("Rows by the gap of the two largest logits", ("gap under", "rows", "share"), "rrr", rows) + table(
        "Mean change of a gap against passes over one token",
        ("tokens in the pass", "mean change"),
        "rr",
        [(length, shown(each, ".1e")) for length, each in changes.items()],
    )
    return framed(NAME, text(finding), _drawn(run, below, changes, finding), caption, data)


def _limits(run: Run) -> list[float]:
    """Sizes of gaps, evenly spread on a logarithmic axis, from the decade of the smallest gap upwards."""
    least = smallest_gap(run).number()
    first = math.floor(math.log10(least)) if least else math.floor(math.log10(SMALL_GAP)) - 2
    last = round(math.log10(LARGEST))
    return [10 ** (first + step / A_DECADE) for step in range(A_DECADE * (last - first) + 1)]


def _share(below: Estimate) -> float:
    return below.number() / below.n


def _finding(run: Run) -> str:
    gap = smallest_gap(run)
    said = (
        f"The smallest of {gap.n} gaps is {gap.number():.1e}, the largest change of any logit "
        f"{largest_shape_change(run).number():.1e}"
    )
    length = margin_lengths(run)[-1]
    expected = tokens_to_divergence(run, length=length)
    if expected.value is None:
        return said
    about = float(f"{expected.value:.1e}")
    return f"{said}: at {length} tokens a pass, one token in about {about:,.0f} is expected to fall otherwise"


def _drawn(run: Run, below: dict[float, Estimate], changes: dict[int, Estimate], finding: str) -> str:
    density = gap_density(run).number()
    points = {limit: _share(each) for limit, each in below.items() if each.number()}
    means = [each.number() for each in changes.values() if each.number()]
    left = min([*below, *means]) / 2
    bottom = density * left or 0.5 / margin_rows(run).number()
    with drawing(2.8) as figure:
        axes = figure.add_subplot()
        axes.set_xscale("log")
        axes.set_yscale("log")
        if means:
            axes.axvspan(min(means), max(means), color=BAND, alpha=0.5, linewidth=2)
            axes.annotate(
                "what the length\nof a pass changes",
                (max(means), 0.9),
                xytext=(5, 0),
                textcoords="offset points",
                va="top",
            )
        axes.plot([left, SMALL_GAP], [bottom, density * SMALL_GAP], color=INK, linestyle="--", linewidth=1)
        axes.plot(list(points), list(points.values()), color=DRAFT, marker="s", markersize=3.5)
        axes.set_xlim(left, LARGEST)
        axes.set_ylim(bottom, 1.5)
        for axis, low, high in ((axes.xaxis, left, LARGEST), (axes.yaxis, bottom, 1.5)):
            ticks = _decades(low, high)
            axis.set_ticks(list(ticks), list(ticks.values()))
        axes.minorticks_off()
        axes.set_xlabel("gap of the two largest logits")
        axes.set_ylabel("share of rows under it")
        described = f"A curve that falls towards small gaps, and far to the left of it a narrow band. {finding}."
        return svg(
            figure, NAME, "How rare near-ties are in float32, and what passes over more tokens change", described
        )


def _decades(low: float, high: float) -> dict[float, str]:
    """Every other power of ten between two numbers, with how it is written."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    return {10.0**power: "10" + str(power).translate(_RAISED) for power in powers if power % 2 == 0}
