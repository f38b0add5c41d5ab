"""Confidence intervals for a few prompts a kind, and for kinds that count equally.

The prompt is the unit: tokens, iterations and rounds of one prompt are not independent of each other, so each
prompt enters with a single number. With three to six of them a t interval keeps its promise where a bootstrap is
far too narrow. Ratios are averaged as logarithms: pass logarithms in, and turn the result with `Interval.exp`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from scipy.special import stdtrit

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FEWEST = 3
"""Below this many prompts there is no interval: with two, the t factor alone is 12.7."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and how well it is known.

    Attributes:
        value: The mean.
        low: Lower end; None where `reason` says why.
        high: Upper end; None where `reason` says why.
        n: Number of prompts.
        degrees: Degrees of freedom of the t factor, a fraction where kinds were pooled; None without interval.
        reason: Why there is no interval.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    degrees: float | None
    reason: str | None = None

    def exp(self) -> Self:
        """The same from logarithms back to ratios; the value is then a geometric mean."""
        return replace(
            self,
            value=math.exp(self.value),
            low=None if self.low is None else math.exp(self.low),
            high=None if self.high is None else math.exp(self.high),
        )


def t_interval(values: Sequence[float], *, confidence: float = 0.95) -> Interval:
    """Mean of one kind's prompts, with Student's t interval on n - 1 degrees.

    Args:
        values: One number a prompt.
        confidence: Chance to hold the true mean, for values that are about normal.

    Raises:
        InputError: On no values, on NaN or an infinity, or a confidence that is no probability.
    """
    _require(values, confidence)
    n = len(values)
    mean = _mean(values)
    if n < FEWEST:
        return _without(mean, n, f"{_count(n, 'prompt')}; an interval needs at least {FEWEST}")
    return _interval(mean, _variance(values) / n, n - 1, n, confidence)


def stratified_interval(kinds: Mapping[str, Sequence[float]], *, confidence: float = 0.95) -> Interval:
    """Mean over kinds that count equally, however many prompts each has.

    The kinds are given, not drawn, so only the spread of the prompts within them counts: with K kinds, n_h prompts
    and sample variances s_h^2,

        variance = sum(v_h),   degrees = sum(v_h)^2 / sum(v_h^2 / (n_h - 1)),   v_h = s_h^2 / (K^2 n_h)

    which is the stratified mean's variance with Satterthwaite's effective degrees (Satterthwaite, *An Approximate
    Distribution of Estimates of Variance Components*, 1946; Cochran, *Sampling Techniques*, 3rd edition 1977,
    sections 5.3 and 5.4; for two kinds it is Welch's).

    A kind with a single prompt shows no spread of its own. As soon as there is one, the interval is the t interval
    over the kinds' means, on K - 1 degrees: it takes the kinds as if they were drawn, a wider statement.

    Args:
        kinds: For each kind, one number a prompt.
        confidence: Chance to hold the true mean.

    Raises:
        InputError: On no kinds, a kind without values, NaN or an infinity, or a confidence that is no probability.
    """
    if not kinds:
        msg = "there is no kind to average over"
        raise InputError(msg)
    for values in kinds.values():
        _require(values, confidence)
    means = [_mean(values) for values in kinds.values()]
    mean = _mean(means)
    n = sum(len(values) for values in kinds.values())
    if n < FEWEST:
        return _without(mean, n, f"{_count(n, 'prompt')}; an interval needs at least {FEWEST}")
    if min(len(values) for values in kinds.values()) == 1:
        if len(kinds) < FEWEST:
            reason = (
                f"a kind with one prompt, and {_count(len(kinds), 'kind')}; an interval then needs {FEWEST} kinds"
            )
            return _without(mean, n, reason)
        return _interval(mean, _variance(means) / len(means), len(means) - 1, n, confidence)
    parts = [_variance(values) / len(values) / len(kinds) ** 2 for values in kinds.values()]
    spread = math.fsum(part**2 / (len(values) - 1) for part, values in zip(parts, kinds.values(), strict=True))
    variance = math.fsum(parts)
    # Without any spread every number of degrees gives the same interval, a point.
    degrees = variance**2 / spread if spread > 0 else n - len(kinds)
    return _interval(mean, variance, degrees, n, confidence)


def _interval(mean: float, variance: float, degrees: float, n: int, confidence: float) -> Interval:
    half = float(stdtrit(degrees, (1 + confidence) / 2)) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half, n, degrees)


def _without(mean: float, n: int, reason: str) -> Interval:
    return Interval(mean, None, None, n, None, reason)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _require(values: Sequence[float], confidence: float) -> None:
    if not values:
        msg = "there is no value to average; an empty selection has no mean"
        raise InputError(msg)
    if not all(math.isfinite(value) for value in values):
        msg = f"values hold NaN or an infinity: {[value for value in values if not math.isfinite(value)][:3]}"
        raise InputError(msg)
    if not 0 < confidence < 1:
        msg = f"confidence is {confidence}; it must lie between 0 and 1"
        raise InputError(msg)
