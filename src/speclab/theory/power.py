"""What a chi-square test can see: its power against a law that is known, and the draws it needs to see it.

Under another law the statistic is close to a non-central chi-square with noncentrality
N * sum((a - p)^2 / p) over the cells (Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 1988,
chapter 7). The approximation is good where the two laws are near each other, which is where power is in doubt.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells
from speclab.theory.floor import require_order, require_rate, tail

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
    distance = float(((elsewhere - cells.law) ** 2 / cells.law).sum())
    return 1 - unseen * (1 - tail(cells.degrees, false_alarm, draws * distance))


def _two_laws(p: ArrayLike, alternative: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    reference, other = as_law(p, "p"), as_law(alternative, "alternative")
    if reference.size != other.size:
        msg = f"p has {reference.size} entries and the alternative {other.size}: both are laws over one vocabulary"
        raise InputError(msg)
    return reference, other
