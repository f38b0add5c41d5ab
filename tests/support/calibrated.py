"""Whether a test alarms as often as it says: counts against binomial limits, p-values against a uniform law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.stats import binom, kstest

from speclab.theory.goodness import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEEDS = range(1000)
RATES = (0.001, 0.05)
"""The stated rate, and one at which a thousand seeds tell more."""
OFF = 0.001
"""Chance that one of the checks below alarms by itself. The seeds are fixed, so it does so always or never."""
FAMILY = 5
"""Tests that are taken together, as a run takes its contexts and seeds together."""


def check_alarms(p_values: NDArray[np.float64]) -> str:
    """Hold the right rule's p-values against what they should be.

    Args:
        p_values: One a test, all of them independent.

    Returns:
        What was found, in one line.
    """
    families = p_values[: len(p_values) // FAMILY * FAMILY].reshape(-1, FAMILY)
    found = []
    for rate in RATES:
        alone = int((p_values <= rate).sum())
        together = sum(any(holm(each.tolist(), rate)) for each in families)
        limits = most(len(p_values), rate), most(len(families), rate)
        found.append(
            f"at {rate:g} {alone} false alarms (limit {limits[0]}), {together} of {len(families)} families of "
            f"{FAMILY} (limit {limits[1]})"
        )
        assert alone <= limits[0], found[-1]
        assert together <= limits[1], found[-1]
    uniform = float(kstest(p_values, "uniform").pvalue)
    assert uniform > OFF, f"p-values are not uniform: Kolmogorov-Smirnov p = {uniform:.2g}"
    return f"{len(p_values):,} tests: {'; '.join(found)}; Kolmogorov-Smirnov p = {uniform:.3f}"


def check_power(p_values: NDArray[np.float64], false_alarm: float, power: float) -> str:
    """Hold the rejections of a wrong rule against the power that was computed for it.

    Args:
        p_values: One a test.
        false_alarm: At which it is rejected.
        power: Computed.

    Returns:
        What was found, in one line.
    """
    rejected = int((p_values <= false_alarm).sum())
    tests = len(p_values)
    low, high = int(binom.ppf(OFF / 2, tests, power)), int(binom.isf(OFF / 2, tests, power))
    found = f"{rejected} of {tests} rejected, power {power:.4f} (limits {low} and {high})"
    assert low <= rejected <= high, found
    return found


def most(trials: int, rate: float) -> int:
    """How many of so many trials may come out so before chance is no excuse."""
    return int(binom.isf(OFF, trials, rate))
