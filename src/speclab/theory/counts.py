"""How well a counted number of rare events is known."""

from __future__ import annotations

from scipy.special import gammaincinv

from speclab.errors import InputError


def poisson_interval(count: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Both ends for the mean of a Poisson law, of which `count` was seen once.

    The exact ends (Garwood, *Fiducial limits for the Poisson distribution*, Biometrika 28, 1936): at the lower one
    so many events or more have the chance (1 - confidence) / 2, at the upper one so many or fewer.

    Args:
        count: Events that were seen.
        confidence: Chance to hold the true mean, at least.

    Raises:
        InputError: On a negative count, or a confidence that is no probability.
    """
    if count < 0 or not 0 < confidence < 1:
        msg = f"count is {count} and confidence {confidence}: at least 0, and between 0 and 1"
        raise InputError(msg)
    tail = (1 - confidence) / 2
    low = float(gammaincinv(count, tail)) if count else 0.0
    return low, float(gammaincinv(count + 1, 1 - tail))
