"""A constructed tie: a bias on one logit, so that the length of the pass decides between two tokens.

Gaps as narrow as rounding are rare in float32, so one is made. Between the gap that a pass over one token leaves
and the gap that a longer pass leaves lies a number; added to the second logit, as a logit processor would add it,
it puts the one gap above zero and the other below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from speclab.experiments.replay import numbers
from speclab.records.base import Reading
from speclab.records.rows import ConstructedTie

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclab.decoding.protocols import Rows
    from speclab.experiments.leaders import Leaders

NONE = "no length of the passes changed the gap of any row by more than a bias in float32 can part"


def constructed_tie(
    pairs: Sequence[Leaders],
    rows: Sequence[Rows],
    again: Mapping[int, Sequence[Rows]],
    text: Callable[[int, int], str],
) -> Reading[ConstructedTie]:
    """Take the row with the smallest gap where it can be done.

    Args:
        pairs: The two likeliest tokens of each row.
        rows: With one token a pass.
        again: The same rows by the length of the passes.
        text: From a row and a token to that token's text.
    """
    for row in sorted(range(len(rows)), key=lambda row: pairs[row].gap(rows[row])):
        for length, others in again.items():
            gap = pairs[row].gap(rows[row])
            bias = float(np.float32((gap + pairs[row].gap(others[row])) / 2))
            token, other = (_chosen(each[row], pairs[row].second, bias) for each in (rows, others))
            if token != other:
                return Reading(
                    value=ConstructedTie(
                        row=row,
                        gap=gap,
                        bias=bias,
                        length=length,
                        token=token,
                        other_token=other,
                        text=text(row, token),
                        other_text=text(row, other),
                    )
                )
    return Reading(reason=NONE)


def _chosen(row: Rows, biased: int, bias: float) -> int:
    """The greedy rule's choice after the bias, added in float32; the lower id where two are equal."""
    logits = numbers(row).astype(np.float32)
    logits[biased] += np.float32(bias)
    return int(logits.argmax())
