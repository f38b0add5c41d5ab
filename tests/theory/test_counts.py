"""The interval of a count, against its definition and a printed table."""

from __future__ import annotations

import pytest
from scipy.stats import poisson

from speclab.errors import InputError
from speclab.theory.counts import poisson_interval


@pytest.mark.parametrize(
    ("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.0253, 5.572), (10, 4.795, 18.39), (50, 37.11, 65.92)]
)
def test_the_ends_are_the_tabulated_ones(count: int, low: float, high: float) -> None:
    """Pearson and Hartley, Biometrika Tables for Statisticians, table 40."""
    found = poisson_interval(count)
    assert found[0] == pytest.approx(low, abs=5e-5, rel=2e-4)
    assert found[1] == pytest.approx(high, rel=2e-4)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_each_end_leaves_its_tail(confidence: float) -> None:
    """As many or more at the lower end, as many or fewer at the upper one."""
    for count in (1, 3, 17):
        low, high = poisson_interval(count, confidence=confidence)
        assert poisson.sf(count - 1, low) == pytest.approx((1 - confidence) / 2)
        assert poisson.cdf(count, high) == pytest.approx((1 - confidence) / 2)


@pytest.mark.parametrize(("count", "confidence"), [(-1, 0.95), (3, 0.0), (3, 1.0)])
def test_what_is_no_count_is_refused(count: int, confidence: float) -> None:
    """Instead of a NaN."""
    with pytest.raises(InputError, match="count is"):
        poisson_interval(count, confidence=confidence)
