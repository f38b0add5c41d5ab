"""Cells of a test of fit: which tokens are counted by themselves, and which together.

They follow from the reference law and the number of draws alone, so they are settled before any count is seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from speclab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SUM_TOLERANCE = 5e-5
"""How far from 1 a law may add up before it is refused: float32 softmax stays well below, bfloat16 does not."""


def as_law(p: ArrayLike, name: str = "p") -> NDArray[np.float64]:
    """A law in float64, renormalised once.

    Args:
        p: Probabilities, shape [vocabulary]; the sum is taken after the cast, never in float32.
        name: What to call it in an error.

    Raises:
        InputError: When it is no law: not one-dimensional, empty, negative or not finite somewhere, or off by more
            than `SUM_TOLERANCE` in its sum (a filter that was not renormalised, or too few bits).
    """
    law = np.asarray(p, dtype=np.float64)
    if law.ndim != 1 or law.size == 0:
        msg = f"{name} has shape {law.shape}; a law has one dimension and at least one entry"
        raise InputError(msg)
    lowest = float(law.min())
    total = float(law.sum())
    if not lowest >= 0 or not math.isfinite(total):
        msg = f"{name} holds a negative number, NaN or an infinity: it is not a law"
        raise InputError(msg)
    if abs(total - 1) > SUM_TOLERANCE:
        msg = (
            f"{name} adds up to {total:.6g} and not to 1: normalise it after its last filter, in float32 or better"
        )
        raise InputError(msg)
    scaled: NDArray[np.float64] = law / total
    return scaled


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A partition of the tokens that can occur.

    Attributes:
        draws: Number of draws that it was made for.
        own: Ids with a cell of their own, likeliest first.
        rest: Mask over the vocabulary: tokens that share the last cell. Tokens of probability 0 are in no cell.
        law: Probability of each cell; the shared one, where there is one, comes last.
    """

    draws: int
    own: NDArray[np.intp]
    rest: NDArray[np.bool_]
    law: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.law)

    @property
    def degrees(self) -> int:
        """Degrees of freedom: from the law, whatever was observed."""
        return len(self) - 1

    @property
    def pooled_mass(self) -> float:
        """Probability of the shared cell; 0 where there is none."""
        return float(self.law[-1]) if len(self.law) > len(self.own) else 0.0

    def add_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts or probabilities by cell, from values by token (shape [vocabulary])."""
        shared = [values[self.rest].sum()] if len(self.law) > len(self.own) else []
        return np.append(values[self.own], shared)


def make_cells(p: NDArray[np.float64], draws: int, *, top: int | None = None, min_expected: float = 5) -> Cells:
    """Give the likeliest tokens a cell each and pool the rest.

    A token has its own cell when it is among the `top` likeliest and is expected at least `min_expected` times. If
    the rest together is expected less often than that, it takes in the least likely of them too.

    Args:
        p: A law as `as_law` returns it.
        draws: Number of draws of the test.
        top: Cells of their own, at most; None for no limit.
        min_expected: Least expected count of a cell.

    Raises:
        InputError: On a negative number of draws, or a `top` or `min_expected` that is not positive.
    """
    if draws < 0 or (top is not None and top < 1) or not min_expected > 0:
        msg = (
            f"draws is {draws}, top {top} and min_expected {min_expected}: "
            "draws must be at least 0, the others above 0"
        )
        raise InputError(msg)
    frequent = np.flatnonzero(p * draws >= min_expected)
    own = frequent[np.argsort(-p[frequent], kind="stable")][:top]
    rest = p > 0
    rest[own] = False
    if own.size and rest.any() and p[rest].sum() * draws < min_expected:
        rest[own[-1]] = True
        own = own[:-1]
    shared = [p[rest].sum()] if rest.any() else []
    return Cells(draws, own, rest, np.append(p[own], shared))
