"""What a chi-square test cannot miss and what it cannot see, whichever law the draws follow.

Both follow from one number, the noncentrality that a power takes: the test sees sum((a - p)^2 / p) over its cells,
times the number of draws, and nothing else.
"""

from __future__ import annotations

import math

from scipy.special import chdtri
from scipy.stats import ncx2

from speclab.errors import InputError

NEARLY_ALWAYS = 0.99
"""The power of a test that is said to see something."""
BFLOAT16_TILT = 2.0**-8
"""The most by which rounding to bfloat16 changes a number, as a share of it: .4 %."""


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


def draws_for_tilt(*, tilt: float, degrees: int, false_alarm: float, power: float) -> int:
    """The fewest draws with which any law that tilts p by at most so much can be seen with the given power.

    Where each probability differs from p's by at most a share `tilt` of it, so does that of each cell, and
    sum((a - p)^2 / p) is at most tilt^2. So lambda / tilt^2 draws is the least; it is enough where every cell is
    tilted in full, half of the mass up and half of it down.

    Args:
        tilt: A share, above 0.
        degrees: Cells - 1.
        false_alarm: Chance to reject although p is right.
        power: Chance to reject under the tilted law, above `false_alarm` and below 1.

    Raises:
        InputError: On numbers out of range.
    """
    if not 0 < tilt < math.inf:
        msg = f"tilt is {tilt}; it must be a share above 0"
        raise InputError(msg)
    return math.ceil(noncentrality(degrees=degrees, false_alarm=false_alarm, power=power) / tilt**2)


def noncentrality(*, degrees: int, false_alarm: float, power: float) -> float:
    """The lambda at which a test with this many degrees of freedom and this false-alarm rate has this power.

    Raises:
        InputError: On numbers out of range.
    """
    if degrees < 1:
        msg = f"degrees is {degrees}; a test has at least 1"
        raise InputError(msg)
    require_order(false_alarm, power)
    low, high = 0.0, 1.0
    while _tail(degrees, false_alarm, high) < power:
        low, high = high, 2 * high
    # Sixty halvings leave nothing of the interval in float64.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(degrees, false_alarm, middle) < power else (low, middle)
    return high


def _tail(degrees: int, false_alarm: float, shift: float) -> float:
    """Chance that a non-central chi-square exceeds the critical value of the central one.

    Args:
        degrees: Of freedom.
        false_alarm: Chance that the central one exceeds it.
        shift: The noncentrality.
    """
    return float(ncx2.sf(chdtri(degrees, false_alarm), degrees, shift))


def require_rate(name: str, value: float) -> None:
    """Refuse what is no probability between 0 and 1.

    Raises:
        InputError: With the name.
    """
    if not 0 < value < 1:
        msg = f"{name} is {value}; it must lie between 0 and 1"
        raise InputError(msg)


def require_order(false_alarm: float, power: float) -> None:
    """Refuse a power that chance alone gives.

    Raises:
        InputError: With both rates.
    """
    require_rate("false_alarm", false_alarm)
    require_rate("power", power)
    if power <= false_alarm:
        msg = f"power is {power} and false_alarm {false_alarm}: a useful test alarms more often when it should"
        raise InputError(msg)
