"""From the values of single prompts to one estimate: kinds weigh the same, intervals count prompts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from scipy.special import stdtrit

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.theory.intervals import FEWEST, stratified_interval, t_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclab.evidence.estimates.estimate import Unit
    from speclab.theory.intervals import Interval

Strata: TypeAlias = "Mapping[str, Sequence[float]]"
"""For each kind, one number a prompt."""
Pairs: TypeAlias = "Mapping[str, Sequence[tuple[float, float]]]"
"""For each kind, one numerator and one denominator a prompt."""

CONFIDENCE = 0.95


def geometric(logs: Strata, *, unit: Unit = "ratio", of: str = "prompts") -> Estimate:
    """Geometric mean of ratios or times that are given as logarithms."""
    return _estimate(_interval(logs).exp(), unit, of)


def arithmetic(values: Strata, *, unit: Unit, of: str = "prompts") -> Estimate:
    """Mean of values that can be added up."""
    return _estimate(_interval(values), unit, of)


def ratio_of_sums(pairs: Pairs, *, unit: Unit, highest: float = 1.0) -> Estimate:
    """All numerators together / all denominators together, with an interval that takes prompts as the unit.

    The variance is the linearised one of a ratio of sums (Cochran, *Sampling Techniques*, 3rd edition 1977,
    sections 6.4 and 6.11): with R the ratio, e = numerator - R denominator of each prompt and D the sum of all
    denominators, the sum over kinds of n_h s_h^2 / D^2, where s_h^2 is the variance of the kind's e. Where a kind
    has a single prompt, all prompts are taken as one kind, which is the wider statement. The ends are cut at 0 and
    at `highest`.

    Args:
        pairs: Sums of each prompt; a prompt without denominator says nothing and is left out.
        unit: Of the ratio.
        highest: Largest value that the ratio can have.

    Raises:
        EmptySelectionError: When every denominator is 0.
    """
    kept = {kind: [pair for pair in each if pair[1] > 0] for kind, each in pairs.items()}
    groups = [each for each in kept.values() if each]
    every = [pair for each in groups for pair in each]
    if not every:
        msg = "nothing of the kind occurred: the ratio has no denominator"
        raise EmptySelectionError(msg)
    over = math.fsum(pair[1] for pair in every)
    ratio = math.fsum(pair[0] for pair in every) / over
    n = len(every)
    if n < FEWEST:
        reason = f"{n} prompt{'s' * (n > 1)}; an interval needs at least {FEWEST}"
        return Estimate(value=ratio, n=n, unit=unit, reason=reason)
    if min(map(len, groups)) == 1:
        groups = [every]
    variance = math.fsum(len(each) * _variance([top - ratio * below for top, below in each]) for each in groups)
    if variance <= (1e-12 * over) ** 2:
        return Estimate(value=ratio, n=n, unit=unit, reason="all prompts agree, so their spread cannot be told")
    half = float(stdtrit(n - len(groups), (1 + CONFIDENCE) / 2)) * math.sqrt(variance) / over
    return Estimate(value=ratio, low=max(0.0, ratio - half), high=min(highest, ratio + half), n=n, unit=unit)


def _interval(strata: Strata) -> Interval:
    if len(strata) == 1:
        return t_interval(next(iter(strata.values())), confidence=CONFIDENCE)
    return stratified_interval(strata, confidence=CONFIDENCE)


def _estimate(found: Interval, unit: Unit, of: str) -> Estimate:
    reason = found.reason.replace("prompt", of.removesuffix("s"), 1) if found.reason else None
    return Estimate(value=found.value, low=found.low, high=found.high, n=found.n, of=of, unit=unit, reason=reason)


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
