"""Did the machine keep its speed over the run, and what would an unpaired reading have claimed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import every_block
from speclab.evidence.estimates.pace import earlier_over_later, plain_step_ms
from speclab.site.figures.base import INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run
    from speclab.records.rows import SpeedCell

NAME = "pace-of-plain"


@figure_of_run(NAME)
def pace(run: Run) -> str:
    """Plain's step in every block, in the order in which they were measured."""
    cells = every_block(run)
    steps = [plain_step_ms(cell) for cell in cells]
    finding = (
        f"Plain's step lay between {min(steps):.0f} and {max(steps):.0f} ms; its later half "
        f"against its earlier one would read as a speed-up of {earlier_over_later(run).number():.3f}"
    )
    caption = Html(
        text(
            "Plain's time a token in each block, in the order of the run; crosses are blocks that were judged "
            "disturbed. In each block every arm meets the same machine. Had plain been measured in the earlier "
            "half and speculation in the later one, the machine's change would have been part of the answer. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [
        (str(place), cell.key, f"{step:.1f}", cell.disturbed or "–")
        for place, (cell, step) in enumerate(zip(cells, steps, strict=True), 1)
    ]
    data = table("Plain's step by block", ("", "block", "ms a token", "disturbed"), "llrl", rows)
    return framed(NAME, text(finding), _drawn(cells, steps, finding), caption, data)


def _drawn(cells: tuple[SpeedCell, ...], steps: list[float], finding: str) -> str:
    with drawing(2.2) as figure:
        axes = figure.add_subplot()
        order = range(1, len(steps) + 1)
        axes.plot(order, steps, color=TARGET, marker="o", markersize=4)
        hit = [place for place, cell in zip(order, cells, strict=True) if cell.disturbed]
        axes.plot(hit, [steps[place - 1] for place in hit], color=INK, marker="x", markersize=9, linestyle="none")
        axes.set_ylim(0, max(steps) * 1.15)
        axes.set_xlabel("block, in the order of the run")
        axes.set_ylabel("ms a token, plain")
        described = f"A line over the blocks. {finding}."
        return svg(figure, NAME, "Plain's step over the run", described)
