"""Whether draws fit a law: Pearson's chi-square, total variation, and Holm's correction for many tests.

What such a test could have seen is in `speclab.theory.power` and `speclab.theory.floor`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import chdtrc

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

Verdict: TypeAlias = Literal["passed", "failed", "impossible token", "not testable"]


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Outcome of one test of fit.

    Attributes:
        draws: Number of draws.
        cells: Number of cells.
        degrees: Degrees of freedom, cells - 1.
        pooled_mass: Probability of the cell that pools the rest; 0 where there is none.
        statistic: Sum of (observed - expected)^2 / expected; None where `reason` says why.
        p_value: Chance of a statistic at least as large under the law; 0.0 where a token was drawn that the law
            cannot give; None where nothing can be tested.
        reason: Why there is no statistic.
        impossible: Ids that were drawn although their probability is 0.
    """

    draws: int
    cells: int
    degrees: int
    pooled_mass: float
    statistic: float | None
    p_value: float | None
    reason: str | None = None
    impossible: tuple[int, ...] = ()

    def verdict(self, false_alarm: float) -> Verdict:
        """The decision at a false-alarm rate."""
        if self.impossible:
            return "impossible token"
        if self.p_value is None:
            return "not testable"
        return "failed" if self.p_value <= false_alarm else "passed"


def chi_square(counts: ArrayLike, p: ArrayLike, *, top: int | None = None, min_expected: float = 5) -> ChiSquare:
    """Pearson's test that independent draws follow a law.

    The cells are settled by the law and the number of draws (`speclab.theory.cells`). A token that was drawn
    although its probability is 0 decides at once: no sample size excuses it, and no pooling hides it.

    The chi-square law of the statistic is that of many draws. Where most cells are expected little more than five
    times its tail is a little heavier: at a stated .001 the chance of a false alarm is then up to .0015.

    Args:
        counts: How often each token was drawn, whole numbers, shape [vocabulary].
        p: The reference law, shape [vocabulary], computed in float64 where the tail matters.
        top: Tokens that get a cell of their own, at most.
        min_expected: Least expected count of a cell.

    Raises:
        InputError: When `p` is no law or `counts` are not counts of its tokens.
    """
    law = as_law(p)
    observed = _as_counts(counts, law.size)
    draws = int(observed.sum())
    cells = make_cells(law, draws, top=top, min_expected=min_expected)

    statistic = p_value = reason = None
    impossible = np.flatnonzero((law == 0) & (observed > 0))
    if impossible.size:
        first = int(impossible[0])
        p_value = 0.0
        reason = f"impossible token: id {first} was drawn {int(observed[first])} times, its probability is 0"
    elif len(cells) < 2:
        enough = (
            "the law has a single token"
            if np.count_nonzero(law) == 1
            else f"{draws} draws leave no second cell expected {min_expected:g} times"
        )
        reason = f"not testable: {enough}"
    else:
        expected = cells.law * draws
        statistic = float(((cells.add_up(observed) - expected) ** 2 / expected).sum())
        p_value = float(chdtrc(cells.degrees, statistic))
    return ChiSquare(
        draws=draws,
        cells=len(cells),
        degrees=cells.degrees,
        pooled_mass=cells.pooled_mass,
        statistic=statistic,
        p_value=p_value,
        reason=reason,
        impossible=tuple(int(token) for token in impossible),
    )


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Total variation of two laws: half the sum of |p - q|, from 0 to 1.

    It is the chance that a proposal drawn from q is rejected under p, and the most by which the two laws can
    differ on any set of tokens.

    Raises:
        InputError: When one of them is no law, or their shapes differ.
    """
    left, right = as_law(p, "p"), as_law(q, "q")
    if left.size != right.size:
        msg = f"p has {left.size} entries and q {right.size}: two laws over one vocabulary are compared"
        raise InputError(msg)
    return float(np.abs(left - right).sum() / 2)


def holm(p_values: Sequence[float], false_alarm: float) -> tuple[bool, ...]:
    """Which of many tests are rejected when the chance of any false alarm among them is at most `false_alarm`.

    The step-down procedure of Holm, *A Simple Sequentially Rejective Multiple Test Procedure* (1979): the smallest
    p-value is held against false_alarm / m, the next against false_alarm / (m - 1), and so on to the first that
    stands. It needs no independence.

    Args:
        p_values: Of the m tests that could be made; leave out what was not testable.
        false_alarm: For the whole family, between 0 and 1.

    Returns:
        For each test, in the order given, whether it is rejected.

    Raises:
        InputError: On a p-value or a rate that is no probability.
    """
    if not 0 < false_alarm < 1:
        msg = f"false_alarm is {false_alarm}; it must lie between 0 and 1"
        raise InputError(msg)
    if not all(0 <= value <= 1 for value in p_values):
        msg = f"p-values must lie between 0 and 1: {[value for value in p_values if not 0 <= value <= 1][:3]}"
        raise InputError(msg)
    rejected = [False] * len(p_values)
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] > false_alarm / (len(p_values) - rank):
            break
        rejected[index] = True
    return tuple(rejected)


def _as_counts(counts: ArrayLike, vocabulary: int) -> NDArray[np.float64]:
    """Counts as float64, which holds whole numbers exactly up to 2^53."""
    observed = np.asarray(counts, dtype=np.float64)
    if observed.shape != (vocabulary,):
        msg = f"counts have shape {observed.shape} and p has {vocabulary} entries: one count a token is needed"
        raise InputError(msg)
    if not (observed >= 0).all() or not (observed == np.floor(observed)).all():
        msg = "counts hold something that is no whole number of draws"
        raise InputError(msg)
    return observed
