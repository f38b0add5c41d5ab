"""A constructed tie: a bias on one logit, so that the length of the pass decides between two tokens.

Gaps as narrow as rounding are rare in float32, so one is made. A bias on the second logit, as a logit processor
would add it, closes the gap that passes of one length leave: there the two logits are equal, and the lower id is
taken. In passes of the other length the gap is another one, and what is left of it decides.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from speclab.experiments.replay import numbers
from speclab.records.base import Reading
from speclab.records.rows import ConstructedTie

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclab.decoding.protocols import Rows
    from speclab.experiments.leaders import Leaders

NONE = "no length of the passes changed the gap of any row"


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
    narrowest = sorted(range(len(rows)), key=lambda row: pairs[row].gap(rows[row]))
    for row, length in product(narrowest, again):
        both, second = (rows[row], again[length][row]), pairs[row].second
        for bias in map(pairs[row].gap, both):
            token, other = (_chosen(each, second, bias) for each in both)
            if token != other:
                tie = ConstructedTie(
                    row=row,
                    gap=pairs[row].gap(rows[row]),
                    biased=second,
                    bias=bias,
                    length=length,
                    token=token,
                    other_token=other,
                    text=text(row, token),
                    other_text=text(row, other),
                )
                return Reading(value=tie)
    return Reading(reason=NONE)


def _chosen(row: Rows, biased: int, bias: float) -> int:
    """The greedy rule's choice after the bias, added in float32; the lower id where two are equal."""
    logits = numbers(row).astype(np.float32)
    logits[biased] += np.float32(bias)
    return int(logits.argmax())
