"""Intervals: known cases, when there is none, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from speclab.errors import InputError
from speclab.theory.intervals import stratified_interval, t_interval


def test_agrees_with_scipy() -> None:
    """The interval of one kind is the textbook's one-sample t interval."""
    values = [0.41, 0.35, 0.52, 0.44]
    found = t_interval(values)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.value == pytest.approx(np.mean(values))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.n, found.degrees, found.reason) == (4, 3, None)


@pytest.mark.parametrize("values", [[0.2], [0.2, 0.3]])
def test_below_three_prompts_there_is_none(values: list[float]) -> None:
    """The mean stands alone, with the reason."""
    found = t_interval(values)
    assert found.value == pytest.approx(np.mean(values))
    assert (found.low, found.high, found.degrees) == (None, None, None)
    assert found.reason is not None
    assert "at least 3" in found.reason
    turned = found.exp()
    assert turned.value == pytest.approx(math.exp(found.value))
    assert turned.low is None
    assert turned.reason == found.reason


def test_two_kinds_are_welch() -> None:
    """With two kinds, the half-width is half of Welch's for the difference, on the same degrees."""
    first, second = [1.0, 1.4, 1.1], [2.0, 2.9, 2.2, 2.4, 1.9]
    found = stratified_interval({"prose": first, "code": second})
    welch = stats.ttest_ind(first, second, equal_var=False)
    bounds = welch.confidence_interval(0.95)
    assert found.low is not None
    assert found.high is not None
    assert found.degrees == pytest.approx(welch.df)
    assert found.high - found.low == pytest.approx((bounds.high - bounds.low) / 2)
    assert found.value == pytest.approx((np.mean(first) + np.mean(second)) / 2)


def test_one_kind_is_the_t_interval() -> None:
    """Pooling a single kind changes nothing."""
    values = [0.1, 0.4, 0.2, 0.3]
    pooled, alone = stratified_interval({"prose": values}), t_interval(values)
    assert pooled.degrees == pytest.approx(alone.degrees)
    assert (pooled.value, pooled.low, pooled.high) == pytest.approx((alone.value, alone.low, alone.high))


def test_kinds_count_equally() -> None:
    """A kind with many prompts does not pull the mean."""
    found = stratified_interval({"a": [0.0] * 9, "b": [1.0, 1.0]})
    assert found.value == 0.5
    assert found.n == 11
    # No spread anywhere: the interval is a point, not a division by zero.
    assert (found.low, found.high) == (0.5, 0.5)


def test_one_prompt_a_kind_is_the_t_interval_over_kinds() -> None:
    """Nothing is known of the spread within a kind, so the kinds' own spread is taken."""
    values = [1.1, 1.5, 0.9, 1.7, 1.3, 1.2]
    found = stratified_interval({str(index): [value] for index, value in enumerate(values)})
    alone = t_interval(values)
    assert (found.low, found.high, found.degrees) == pytest.approx((alone.low, alone.high, 5))
    mixed = stratified_interval({"a": [1.0, 1.2], "b": [1.5], "c": [0.8]})
    over_means = t_interval([1.1, 1.5, 0.8])
    assert (mixed.low, mixed.high) == pytest.approx((over_means.low, over_means.high))
    assert mixed.n == 4


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        ({"a": [1.0], "b": [2.0]}, "2 prompts; an interval needs at least 3"),
        ({"a": [1.0]}, "1 prompt; an interval needs at least 3"),
        ({"a": [1.0], "b": [2.0, 2.1, 2.2]}, "a kind with one prompt, and 2 kinds"),
    ],
)
def test_pooled_without_interval(kinds: dict[str, list[float]], reason: str) -> None:
    """Too few prompts, or a lone prompt among too few kinds: the mean and the reason."""
    found = stratified_interval(kinds)
    assert found.low is None
    assert found.reason is not None
    assert found.reason.startswith(reason)


def test_ratios_are_averaged_as_logarithms() -> None:
    """Twice as fast and half as fast cancel; the interval of the inverse is the inverse of the interval."""
    ratios = [2.0, 0.5, 1.0]
    found = t_interval([math.log(ratio) for ratio in ratios]).exp()
    inverse = t_interval([-math.log(ratio) for ratio in ratios]).exp()
    assert found.value == pytest.approx(1.0)
    assert found.low is not None
    assert inverse.high is not None
    assert found.low == pytest.approx(1 / inverse.high)


def test_coverage_of_the_t_interval() -> None:
    """Three prompts: 95 % of simulated intervals hold the truth; a bootstrap's holds it far less often."""
    generator = np.random.default_rng(8)
    samples = generator.normal(0.3, 0.1, size=(4000, 3))
    held = sum((i := t_interval(list(row))).low <= 0.3 <= i.high for row in samples)  # type: ignore[operator]
    assert held / 4000 == pytest.approx(0.95, abs=0.012)
    # With three values every resample is one of 27; their means' percentiles are exact.
    resamples = samples[:, np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1)].mean(1)
    low, high = np.percentile(resamples, [2.5, 97.5], axis=1)
    assert ((low <= 0.3) & (high >= 0.3)).mean() < 0.8


def test_coverage_of_the_pooled_interval() -> None:
    """Six kinds of four prompts, spreads that differ eightfold: still 95 %."""
    generator = np.random.default_rng(9)
    means = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    spreads = np.array([0.02, 0.04, 0.06, 0.08, 0.12, 0.16])
    held = 0
    for sample in generator.normal(means, spreads, size=(3000, 4, 6)):
        found = stratified_interval({str(kind): list(sample[:, kind]) for kind in range(6)})
        assert found.low is not None
        assert found.high is not None
        held += found.low <= means.mean() <= found.high
    assert held / 3000 == pytest.approx(0.95, abs=0.015)


def test_wider_with_more_confidence() -> None:
    """The confidence asked for is the one used."""
    narrow, wide = t_interval([1.0, 2.0, 3.0], confidence=0.5), t_interval([1.0, 2.0, 3.0], confidence=0.99)
    assert narrow.high == pytest.approx(2 + stats.t.ppf(0.75, 2) / math.sqrt(3))
    assert wide.high == pytest.approx(2 + stats.t.ppf(0.995, 2) / math.sqrt(3))


@pytest.mark.parametrize("values", [[], [1.0, math.nan, 2.0], [math.inf, 1.0, 2.0]])
def test_what_cannot_be_averaged(values: list[float]) -> None:
    """An empty selection, NaN and infinities are errors, alone and pooled."""
    with pytest.raises(InputError):
        t_interval(values)
    with pytest.raises(InputError):
        stratified_interval({"a": [1.0, 2.0, 3.0], "b": values})


def test_other_arguments_out_of_range() -> None:
    """No kinds at all, and a confidence that is no probability."""
    with pytest.raises(InputError, match="no kind"):
        stratified_interval({})
    with pytest.raises(InputError, match="confidence"):
        t_interval([1.0, 2.0, 3.0], confidence=1.0)
