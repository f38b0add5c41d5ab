"""What does a machine that changes its speed do to identical arms, read in turns and one after the other?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from speclab.evidence.drift import jumps
from speclab.measure.drifting import jumping, slowing
from speclab.site.blocks import runless
from speclab.site.building import current
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.numbers import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from speclab.evidence.drift import Jump

NAME = "drifting-machine"
_MIDDLE = 0.5


@runless
def drift() -> str:
    """The simulated machine's step over the run, and what either way of measuring reads."""
    register = current().register
    slow, jump = register.number("given.drift.slow"), register.number("given.drift.jump")
    plan = [round(register.number(f"plan.quick.{key}")) for key in ("prompts", "new_tokens")]
    places = jumps(jump, *plan)
    unpaired, turns = (register.show(f"drift.jump.{way}") for way in ("unpaired", "turns"))
    finding = (
        f"One after the other, a jump of the machine can look like a speed-up of {unpaired}; "
        f"in turns, like {turns} at worst"
    )
    caption = Html(
        text("Simulated; the truth is 1. Above, how long a step takes: the solid line jumps to ")
        + number("given.drift.jump")
        + text(" times in the middle of the run, the dashed one grows evenly by ")
        + number("given.drift.slow")
        + text(". Below, the speed-up that is read if the jump falls at that place of the run. Evenly slower: ")
        + number("drift.slow.unpaired")
        + text(" one after the other, ")
        + number("drift.slow.turns")
        + text(" in turns. Prompts and tokens are those of the plan quick.")
    )
    rows = [
        (f"{each.at:.3f}", f"{each.unpaired:.3f}", f"{each.in_turns:.3f}", f"{each.block:.3f}") for each in places
    ]
    columns = ("jump after this share of the run", "one after the other", "in turns", "its worst block, in turns")
    data = table("Speed-up that is read between identical arms", columns, "rrrr", rows)
    return framed(NAME, text(finding), _drawn(places, slow, jump, finding), caption, data)


def _drawn(places: tuple[Jump, ...], slow: float, jump: float, finding: str) -> str:
    with drawing(3.6) as figure:
        figure.subplots_adjust(hspace=0.3, right=0.96)
        step, reading = figure.subplots(2, 1, sharex=True)
        _steps(step, slow, jump)
        at = [each.at for each in places]
        reading.axhline(1, color=INK, linewidth=0.8, linestyle=":")
        reading.plot(at, [each.unpaired for each in places], color=DRAFT, linestyle="--")
        reading.plot(at, [each.in_turns for each in places], color=TARGET, linewidth=1)
        lowest = min(each.unpaired for each in places)
        for words, height, colour in (("in turns", 1.04, TARGET), ("one after\nthe other", lowest, DRAFT)):
            reading.annotate(words, (0.02, height), color=colour, va="bottom")
        reading.set_ylim(lowest - 0.05, 1.2)
        reading.set_title("speed-up that is read, by where the jump falls", loc="left", pad=3)
        reading.set_xlabel("share of the run that is done")
        reading.set_xlim(0, 1)
        described = (
            "Above, a line that jumps half way and one that hardly rises. Below, a V that falls from 1 to its "
            f"lowest point where the jump is half way, and a line that stays at 1. {finding}."
        )
        return svg(figure, NAME, "Identical arms on a machine that changes its speed", described)


def _steps(axes: Axes, slow: float, jump: float) -> None:
    done = [0, math.nextafter(_MIDDLE, 0), _MIDDLE, 1]
    for pace, line in ((jumping(jump, _MIDDLE), "-"), (slowing(slow), "--")):
        axes.plot(done, [pace(each) for each in done], color=INK, linestyle=line)
    axes.set_ylim(0.9, jump + 0.15)
    axes.set_title("time of a step, against the first one", loc="left", pad=3)
