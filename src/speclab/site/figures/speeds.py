"""Where does speculation pay, and at which k?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import blocks, by_prompt, kinds_of, ks_of
from speclab.evidence.estimates.speed import noise_floor
from speclab.evidence.estimates.speed import speedup as estimate_speedup
from speclab.site.blocks import block
from speclab.site.figures.base import BAND, INK, TARGET, drawing, framed, once, svg
from speclab.site.html import Html, shown, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_link, run_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run

NAME = "speedup-by-kind"
ALL = "all kinds"


@block
def speedup(run_id: str | None = None) -> str:
    """Speed-up by k and kind: every prompt's point, intervals where there are any, and the band of noise."""
    return once(NAME, run_of(run_id), _figure)


def _figure(run: Run) -> str:
    ks = ks_of(run)
    kinds: dict[str, str | None] = {ALL: None, **{kind: kind for kind in kinds_of(run)}}
    found = {(label, k): estimate_speedup(run, k=k, kind=kind) for label, kind in kinds.items() for k in ks}
    prompts = {
        kind: {prompt: [estimate_speedup(run, k=k, prompt=prompt).number() for k in ks] for prompt in rounds}
        for kind, rounds in by_prompt(blocks(run)).items()
    }
    finding = _finding(found)
    caption = Html(
        text(
            "Decode time of plain over decode time of the arm. A dot is a prompt, a line the mean of a kind, a "
            "bar its interval at "
        )
        + number("given.confidence")
        + text(
            ", where there are prompts enough for one. The grey band is plain against plain: what this way of "
            "measuring calls a difference where there is none. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [(label, *(shown(found[label, k], ".2f") for k in ks)) for label in kinds] + [
        (prompt, *(f"{value:.2f}" for value in values))
        for each in prompts.values()
        for prompt, values in each.items()
    ]
    data = table("Speed-up of kinds and prompts", ("", *(f"k = {k}" for k in ks)), "l" + "r" * len(ks), rows)
    return framed(NAME, text(finding), _drawn(run, list(kinds), ks, found, prompts, finding), caption, data)


def _finding(found: dict[tuple[str, int], Estimate]) -> str:
    single = {key: each.number() for key, each in found.items() if key[0] != ALL}
    low, high = min(single, key=lambda key: single[key]), max(single, key=lambda key: single[key])
    return (
        f"From {single[low]:.2f} times plain's speed ({low[0]}, k = {low[1]}) "
        f"to {single[high]:.2f} ({high[0]}, k = {high[1]})"
    )


def _band(run: Run) -> tuple[float, float]:
    """The interval of plain against plain; where there is none, as far from 1 as its value is, both ways."""
    noise = noise_floor(run)
    if noise.low is not None and noise.high is not None:
        return noise.low, noise.high
    off = abs(math.log(noise.number()))
    return math.exp(-off), math.exp(off)


def _drawn(
    run: Run,
    labels: list[str],
    ks: tuple[int, ...],
    found: dict[tuple[str, int], Estimate],
    prompts: dict[str, dict[str, list[float]]],
    finding: str,
) -> str:
    every = [value for each in prompts.values() for values in each.values() for value in values]
    ends = [end for each in found.values() for end in (each.low, each.high) if end is not None]
    bottom, top = min(0.8, *every, *ends), max(1.2, *every, *ends)
    room = 0.08 * (top - bottom)
    count = math.ceil(len(labels) / 2)
    with drawing(1.2 * count + 0.3) as figure:
        figure.subplots_adjust(wspace=0.08, hspace=0.38)
        grid = figure.subplots(count, 2, sharex=True, sharey=True, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place >= len(labels):
                axes.set_axis_off()
                continue
            label = labels[place]
            points = prompts.get(label) or {name: each for kind in prompts.values() for name, each in kind.items()}
            axes.axhspan(*_band(run), color=BAND, alpha=0.35, linewidth=0)
            axes.axhline(1, color=INK, linewidth=0.8, linestyle=":")
            for values in points.values():
                axes.plot(
                    range(len(ks)), values, linestyle="none", marker="o", markersize=3.5, color=TARGET, alpha=0.7
                )
            _mean(axes, [found[label, k] for k in ks])
            axes.set_title(label, loc="left", pad=3)
            axes.set_xticks(range(len(ks)), [str(k) for k in ks])
            axes.tick_params(labelbottom=place >= len(labels) - 2)
            axes.set_xlim(-0.5, len(ks) - 0.5)
            axes.set_ylim(bottom - room, top + room)
        figure.supxlabel("k, tokens proposed per iteration", fontsize=10, y=0.06 / figure.get_figheight())
        figure.supylabel("speed-up over plain", fontsize=10, x=0.02)
        described = f"A small chart for each kind of text and one for all of them. {finding}."
        return svg(figure, NAME, "Speed-up over plain decoding by kind of text and k", described)


def _mean(axes: Axes, found: list[Estimate]) -> None:
    values = [each.number() for each in found]
    axes.plot(range(len(values)), values, color=TARGET)
    for place, each in enumerate(found):
        if each.low is not None and each.high is not None:
            axes.plot(
                [place, place], [each.low, each.high], color=TARGET, linewidth=3, alpha=0.5, solid_capstyle="butt"
            )
