"""Whether another program was at work through so much of a run that its speed-ups do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.measure.disturbance import heavy
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclab.records.rows import Cell

MOST_BLOCKS = 0.5
"""Share of the blocks. With more of them disturbed, a mean over blocks is about the other program."""


def crowded_out(cells: Iterable[Cell]) -> str | None:
    """Why a run is to be discarded: another program disturbed more than half of its blocks; None where not so.

    Only the blocks that count are looked at, repeats in the place of what they repeat. Time that the host gave
    away counts for nothing here: nobody on this machine could have stopped that.
    """
    counting: dict[tuple[str, int, str], SpeedCell] = {}
    for cell in cells:
        if isinstance(cell, SpeedCell):
            place = (cell.prompt, cell.round, cell.sampling.name)
            if place not in counting or cell.attempt > counting[place].attempt:
                counting[place] = cell
    programs = [heavy(cell.surroundings) for cell in counting.values()]
    disturbed = sum(bool(each) for each in programs)
    if disturbed <= MOST_BLOCKS * len(counting):
        return None
    names = ", ".join(sorted({program.name for each in programs for program in each}))
    return f"{disturbed} of the {len(counting)} blocks that count, more than half, were disturbed by {names}"
