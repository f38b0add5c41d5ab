"""How far off is the formula, told before and told after?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import blocks, by_prompt, ks_of
from speclab.evidence.estimates.decomposition import decomposed_speedup, predicted_speedup, prediction_error
from speclab.evidence.estimates.speed import speedup
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "predicted-and-measured"
Points = dict[tuple[str, int], tuple[float, float, float]]
"""By prompt and k: measured, decomposed, predicted."""


@figure_of_run(NAME)
def prediction(run: Run) -> str:
    """Each prompt's measured speed-up at each k against what the formula gives, in both ways of asking it."""
    ks = ks_of(run)
    points = _points(run, ks)
    most = max(ks, key=lambda k: abs(prediction_error(run, k=k).number()))
    furthest = max(points, key=lambda key: abs(points[key][2] / points[key][0] - 1))
    finding = (
        f"Told before, the formula is off by {prediction_error(run, k=most).number():+.0%} on average at its "
        f"worst k, {most}, and by {points[furthest][2] / points[furthest][0] - 1:+.0%} for a single text"
    )
    caption = Html(
        text(
            "A mark is a prompt at one k. Squares: the formula with that block's own acceptance and times, so "
            "what they miss the diagonal by is the formula's. Circles: the formula as one would use it before, "
            "with c and v from the timed passes and α from other prompts. Above the diagonal too much is "
            "promised. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [(f"{prompt}, k = {k}", *(f"{each:.2f}" for each in values)) for (prompt, k), values in points.items()]
    data = table("Speed-up of each prompt", ("", "measured", "decomposition", "prediction"), "lrrr", rows)
    return framed(NAME, text(finding), _drawn(points, finding), caption, data)


def _points(run: Run, ks: tuple[int, ...]) -> Points:
    prompts = [prompt for each in by_prompt(blocks(run)).values() for prompt in each]
    return {
        (prompt, k): (
            speedup(run, k=k, prompt=prompt).number(),
            decomposed_speedup(run, k=k, prompt=prompt).number(),
            predicted_speedup(run, k=k, prompt=prompt).number(),
        )
        for k in ks
        for prompt in prompts
    }


def _drawn(points: Points, finding: str) -> str:
    every = [value for values in points.values() for value in values]
    low, high = min(every) * 0.95, max(every) * 1.05
    measured = [values[0] for values in points.values()]
    with drawing(3.2) as figure:
        axes = figure.add_subplot()
        axes.plot([low, high], [low, high], color=INK, linewidth=0.8, linestyle=":")
        for place, name, mark, colour in ((2, "prediction", "o", DRAFT), (1, "decomposition", "s", TARGET)):
            axes.plot(
                measured,
                [values[place] for values in points.values()],
                linestyle="none",
                marker=mark,
                markersize=4,
                color=colour,
                alpha=0.7,
                label=name,
            )
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        axes.set_xlabel("measured speed-up")
        axes.set_ylabel("speed-up by the formula")
        axes.legend(loc="upper left")
        described = f"Squares and circles around the diagonal. {finding}."
        return svg(figure, NAME, "The formula against the measurement", described)
