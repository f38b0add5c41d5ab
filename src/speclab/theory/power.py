"""What a chi-square test can see: its power against a law, the draws it needs, the difference it cannot miss.

Under another law the statistic is close to a non-central chi-square with noncentrality
N * sum((a - p)^2 / p) over the cells (Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 1988,
chapter 7). The approximation is good where the two laws are near each other, which is where power is in doubt.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scipy.special import chdtri
from scipy.stats import ncx2

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

MOST_DRAWS = 10**12
"""Beyond this a difference counts as one that no test of this kind sees."""


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
    _require_rate("false_alarm", false_alarm)
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
    _require_order(false_alarm, power)

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


def detectable_total_variation(*, draws: int, degrees: int, false_alarm: float, power: float) -> float:
    """Total variation, over the cells, that no alternative can have without being seen with the given power.

    By Cauchy and Schwarz sum((a - p)^2 / p) is at least (sum |a - p|)^2. So an alternative with a total variation
    of sqrt(lambda / 4N) or more has at least the noncentrality lambda that this power takes.

    Args:
        draws: N.
        degrees: Cells - 1.
        false_alarm: Chance to reject although p is right.
        power: Chance to reject at that distance, above `false_alarm` and below 1.

    Raises:
        InputError: On numbers out of range.
    """
    if draws < 1:
        msg = f"draws is {draws}; it must be at least 1"
        raise InputError(msg)
    return math.sqrt(noncentrality(degrees=degrees, false_alarm=false_alarm, power=power) / (4 * draws))


def noncentrality(*, degrees: int, false_alarm: float, power: float) -> float:
    """The lambda at which a test with this many degrees of freedom and this false-alarm rate has this power.

    Raises:
        InputError: On numbers out of range.
    """
    if degrees < 1:
        msg = f"degrees is {degrees}; a test has at least 1"
        raise InputError(msg)
    _require_order(false_alarm, power)
    low, high = 0.0, 1.0
    while _tail(degrees, false_alarm, high) < power:
        low, high = high, 2 * high
    # Sixty halvings leave nothing of the interval in float64.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(degrees, false_alarm, middle) < power else (low, middle)
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
    distance = float(((elsewhere - cells.law) ** 2 / cells.law).sum())
    return 1 - unseen * (1 - _tail(cells.degrees, false_alarm, draws * distance))


def _tail(degrees: int, false_alarm: float, shift: float) -> float:
    """Chance that a non-central chi-square exceeds the critical value of the central one."""
    return float(ncx2.sf(chdtri(degrees, false_alarm), degrees, shift))


def _two_laws(p: ArrayLike, alternative: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    reference, other = as_law(p, "p"), as_law(alternative, "alternative")
    if reference.size != other.size:
        msg = f"p has {reference.size} entries and the alternative {other.size}: both are laws over one vocabulary"
        raise InputError(msg)
    return reference, other


def _require_rate(name: str, value: float) -> None:
    if not 0 < value < 1:
        msg = f"{name} is {value}; it must lie between 0 and 1"
        raise InputError(msg)


def _require_order(false_alarm: float, power: float) -> None:
    _require_rate("false_alarm", false_alarm)
    _require_rate("power", power)
    if power <= false_alarm:
        msg = f"power is {power} and false_alarm {false_alarm}: a useful test alarms more often when it should"
        raise InputError(msg)
