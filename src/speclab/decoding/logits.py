"""Whether rows of logits can decide a token.

The likeliest entry alone tells: NaN counts as the largest in numpy and in torch, +inf is the largest, and a row
without a finite entry has none. So one argmax finds all three faults.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from speclab.decoding.protocols import LogitsError

if TYPE_CHECKING:
    from speclab.decoding.protocols import Law, Model, Rows
    from speclab.decoding.sampling import Sampling


def finite_peak(row: Rows) -> tuple[int, bool]:
    """The likeliest token of one row (shape [vocabulary]), and whether its logit is finite."""
    token = int(row.argmax(-1))
    return token, math.isfinite(float(row[token]))


def require_finite(rows: Rows, tokens: Sequence[int], position: int) -> None:
    """Check that each row could decide.

    Args:
        rows: Shape [tokens, vocabulary].
        tokens: The likeliest token of each row.
        position: Of the token that row 0 decides.

    Raises:
        LogitsError: With the position of the first row that could not.
    """
    for index, peak in enumerate(rows[range(len(tokens)), list(tokens)].tolist()):
        if not math.isfinite(peak):
            raise LogitsError(position + index)


class TargetLaws(Sequence["Law"]):
    """The target's laws under a sampling, made from its rows when they are asked for.

    Rows behind the first rejection are never asked for, so their laws cost nothing and their faults, which
    plain decoding would not have met, stop nothing.
    """

    def __init__(self, target: Model, rows: Rows, sampling: Sampling, position: int) -> None:
        self._target = target
        self._rows = rows
        self._sampling = sampling
        self._position = position

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Law: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Law]: ...
    def __getitem__(self, index: int | slice) -> Law:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        row = self._rows[index]
        if not finite_peak(row)[1]:
            raise LogitsError(self._position + index)
        return self._target.law(row, self._sampling)
