"""What a chi-square test can see: its power against a law that is known, and the draws it needs to see it.

Under another law the statistic is near a non-central chi-square (Cohen, *Statistical Power Analysis for the
Behavioral Sciences*, 1988, chapter 7). With cells that are expected a few times only, that alone is off by up to a
tenth where power is in doubt, since such a law also changes how much the counts scatter. So the non-central
chi-square is scaled here to the mean and the variance that the statistic really has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scipy.special import chdtrc, chdtri, ndtr
from scipy.stats import ncx2

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells
from speclab.theory.floor import require_order, require_rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

MOST_DRAWS = 10**12
"""Beyond this a difference counts as one that no test of this kind sees."""
NORMAL_FROM = 1e6
"""A noncentrality from which a non-central chi-square is taken as normal; far beyond, its tail is not computed."""


def power(
    p: ArrayLike,
    alternative: ArrayLike,
    *,
    draws: int,
    false_alarm: float,
    top: int | None = None,
    min_expected: float = 5,
) -> float:
    """Chance that `chi_square` rejects p when the draws follow another law.

    The cells are the same as in the test. Mass of the alternative on tokens that p cannot give is seen by the
    first draw that falls there.

    Args:
        p: The reference law, shape [vocabulary].
        alternative: The law that is drawn from, shape [vocabulary].
        draws: Number of draws.
        false_alarm: Chance to reject although p is right.
        top: As in `chi_square`.
        min_expected: As in `chi_square`.

    Returns:
        Between 0 and 1; 0.0 where nothing could be tested.

    Raises:
        InputError: On arguments that are no laws over one vocabulary, or no rate.
    """
    reference, other = _two_laws(p, alternative)
    require_rate("false_alarm", false_alarm)
    return _power(reference, other, draws, false_alarm, top, min_expected)


def draws_needed(
    p: ArrayLike,
    alternative: ArrayLike,
    *,
    false_alarm: float,
    power: float,
    top: int | None = None,
    min_expected: float = 5,
) -> int | None:
    """Draws with which `chi_square` tells an alternative from p with the given power.

    Found by doubling and halving, each number of draws with the cells it would have.

    Args:
        p: The reference law, shape [vocabulary].
        alternative: The law that is drawn from, shape [vocabulary].
        false_alarm: Chance to reject although p is right.
        power: Chance to reject when the alternative is right, above `false_alarm` and below 1.
        top: As in `chi_square`.
        min_expected: As in `chi_square`.

    Returns:
        A number of draws that is enough, while one less is not; None where more than `MOST_DRAWS` would be needed.

    Raises:
        InputError: On arguments that are no laws over one vocabulary, or no rates.
    """
    reference, other = _two_laws(p, alternative)
    require_order(false_alarm, power)
    if bool((reference == other).all()):
        return None

    def enough(draws: int) -> bool:
        return _power(reference, other, draws, false_alarm, top, min_expected) >= power

    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_DRAWS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _power(
    p: NDArray[np.float64],
    other: NDArray[np.float64],
    draws: int,
    false_alarm: float,
    top: int | None,
    min_expected: float,
) -> float:
    impossible = float(other[p == 0].sum())
    unseen = math.exp(draws * math.log1p(-impossible)) if impossible < 1 else float(draws == 0)
    cells = make_cells(p, draws, top=top, min_expected=min_expected)
    if len(cells) < 2 or impossible == 1:
        return 1 - unseen
    elsewhere = cells.add_up(other) / (1 - impossible)
    return 1 - unseen * (1 - _tail(cells.law, elsewhere, draws, false_alarm))


def _tail(p: NDArray[np.float64], other: NDArray[np.float64], draws: int, false_alarm: float) -> float:
    """Chance that the statistic exceeds the critical value of p when the counts of the cells follow another law.

    With r = a / p and s = 1 / p over the cells and all moments under the other law a, the factorial moments of a
    multinomial give

        mean = N (E r - 1) + E(s - r),   variance = 4 N Var r + 6 Cov(r, s) + 2 E r E(s - r)

    but for terms of the order of 1/N in the variance, which are left out; under p itself both are then those of
    the central chi-square.

    Args:
        p: Probability of each cell under the reference law.
        other: The same under the other law.
        draws: N.
        false_alarm: Sets the critical value.
    """
    degrees = len(p) - 1
    critical = float(chdtri(degrees, false_alarm))
    ratio, inverse = other / p, 1 / p
    ratio_mean, inverse_mean = float(other @ ratio), float(other @ inverse)
    own = inverse_mean - ratio_mean
    mean = draws * (ratio_mean - 1) + own
    off = ratio - ratio_mean
    variance = (
        4 * draws * float(other @ off**2)
        + 6 * float(other @ (off * (inverse - inverse_mean)))
        + 2 * ratio_mean * own
    )
    if not variance > 0:  # all draws fall into one cell
        return float(mean > critical)
    # Scale and noncentrality solve scale (degrees + shift) = mean, scale^2 (2 degrees + 4 shift) = variance.
    rest = mean**2 - degrees * variance / 2
    if rest < 0:  # wider than any of these: a central one with fewer degrees
        return float(chdtrc(2 * mean**2 / variance, critical * 2 * mean / variance))
    scale = variance / (2 * (mean + math.sqrt(rest)))
    shift = max(0.0, mean / scale - degrees)
    if shift > NORMAL_FROM:
        return float(ndtr((mean - critical) / math.sqrt(variance)))
    return float(ncx2.sf(critical / scale, degrees, shift))


def _two_laws(p: ArrayLike, alternative: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    reference, other = as_law(p, "p"), as_law(alternative, "alternative")
    if reference.size != other.size:
        msg = f"p has {reference.size} entries and the alternative {other.size}: both are laws over one vocabulary"
        raise InputError(msg)
    return reference, other
