"""The simulated run's gaps in float32: one narrow gap a text, and changes far below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.base import Reading
from speclab.records.rows import ConstructedTie, MarginsCell, ShapeChange
from synthetic_rows import MS

if TYPE_CHECKING:
    import random

    from speclab.records.plan import MarginsPlan

NARROW = 0.01
CHANGE = 3e-6


def margins_cell(plan: MarginsPlan, kind: str, number: int, dice: random.Random) -> MarginsCell:
    """Gaps spread evenly up to six logits, a narrow one among them; longer passes change a little more."""
    tie = ConstructedTie(
        row=1,
        gap=NARROW,
        biased=18,
        bias=NARROW - CHANGE,
        length=plan.lengths[0],
        token=17,
        other_token=18,
        text=" <b>one</b>",
        other_text="```exec\n[=id]",
    )
    return MarginsCell(
        prompt=f"{kind}-{number}",
        kind=kind,
        prompt_tokens=60,
        gaps=tuple(NARROW if row == 1 else 0.3 + 6 * dice.random() for row in range(plan.new_tokens)),
        spacing=2.0**-19,
        shapes=tuple(
            ShapeChange(
                length=length,
                largest_logit_change=CHANGE * length,
                gap_changes=tuple(dice.gauss(0, CHANGE) for _ in range(plan.new_tokens)),
                flips=0,
            )
            for length in plan.lengths
        ),
        constructed=Reading[ConstructedTie](value=tie),
        nanoseconds=900 * MS,
    )
