"""What the test of fit can see, held against simulation and against figures worked out elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells
from speclab.theory.goodness import chi_square, total_variation
from speclab.theory.power import detectable_total_variation, draws_needed, noncentrality, power

if TYPE_CHECKING:
    from collections.abc import Callable

P = np.array([0.4, 0.3, 0.2, 0.1])
Q = np.array([0.46, 0.27, 0.17, 0.10])


def test_power_is_the_share_of_rejections() -> None:
    """Three thousand simulated tests reject about as often as computed, where it is neither 0 nor 1."""
    generator = np.random.default_rng(6)
    computed = power(P, Q, draws=900, false_alarm=0.01)
    assert 0.5 < computed < 0.9
    rejected = sum(chi_square(c, P).verdict(0.01) == "failed" for c in generator.multinomial(900, Q, size=3000))
    assert rejected / 3000 == pytest.approx(computed, abs=0.03)


def test_power_uses_the_cells_of_the_test() -> None:
    """A difference inside the pooled rest is invisible: power is the false-alarm rate."""
    p = np.array([0.5, 0.3, 0.1, 0.1])
    other = np.array([0.5, 0.3, 0.15, 0.05])
    assert power(p, other, draws=10_000, false_alarm=0.001) > 0.999
    assert power(p, other, draws=10_000, false_alarm=0.001, top=2) == pytest.approx(0.001)


def test_power_of_an_impossible_token() -> None:
    """Mass where p is 0 is seen by the first draw that falls there, even where there is no second cell."""
    assert power([1.0, 0.0], [0.9, 0.1], draws=20, false_alarm=0.001) == pytest.approx(1 - 0.9**20)
    assert power([1.0, 0.0], [0.0, 1.0], draws=1, false_alarm=0.001) == 1
    assert power([0.5, 0.5, 0.0], [0.0, 0.0, 1.0], draws=50, false_alarm=0.001) == 1
    assert power([1.0, 0.0], [0.0, 1.0], draws=0, false_alarm=0.001) == 0
    # What is left of the alternative has the shape of p: nothing but the impossible token can be seen.
    tilted = power([0.6, 0.38, 0.02, 0.0], [0.5994, 0.37962, 0.01998, 0.001], draws=200, false_alarm=0.01)
    assert tilted == pytest.approx(1 - 0.999**200 * 0.99)


def test_what_cannot_be_tested_has_no_power() -> None:
    """One cell: nothing is ever rejected."""
    assert power(P, Q, draws=4, false_alarm=0.001) == 0
    assert power([1.0], [1.0], draws=10_000, false_alarm=0.001) == 0


def test_draws_needed_is_the_edge() -> None:
    """That many draws are enough and one less is not; the draws follow the noncentrality."""
    needed = draws_needed(P, Q, false_alarm=0.001, power=0.99)
    assert needed is not None
    assert power(P, Q, draws=needed, false_alarm=0.001) >= 0.99
    assert power(P, Q, draws=needed - 1, false_alarm=0.001) < 0.99
    distance = float(((Q - P) ** 2 / P).sum())
    assert needed == math.ceil(noncentrality(degrees=3, false_alarm=0.001, power=0.99) / distance)


def test_draws_needed_for_what_is_equal() -> None:
    """Equal laws, and laws that differ only inside the pooled rest, are never told apart."""
    assert draws_needed(P, P, false_alarm=0.001, power=0.99) is None
    assert draws_needed([0.5, 0.3, 0.1, 0.1], [0.5, 0.3, 0.2, 0.0], false_alarm=0.01, power=0.9, top=2) is None


def test_a_tiny_tilt_takes_millions() -> None:
    """A tilt of .4 % of each probability, as bfloat16 rounds, is beyond practical tests."""
    tilt = P * (1 + 0.004 * np.array([1, -1, 1, -1]))
    needed = draws_needed(P, tilt / tilt.sum(), false_alarm=0.001, power=0.99)
    assert needed is not None
    assert 1_000_000 < needed < 10_000_000


def test_detectable_total_variation() -> None:
    """N = 200,000, 60 degrees, .001 and .99: .010."""
    bound = detectable_total_variation(draws=200_000, degrees=60, false_alarm=0.001, power=0.99)
    assert round(bound, 3) == 0.010


def test_nothing_beyond_the_bound_is_missed() -> None:
    """Alternatives of at least that total variation have at least the stated power, the hardest one exactly it."""
    generator = np.random.default_rng(7)
    bound = detectable_total_variation(draws=20_000, degrees=9, false_alarm=0.01, power=0.9)
    tried = 0
    while tried < 50:
        p = generator.dirichlet(np.full(10, 5.0))
        shift = generator.normal(size=10) * p
        shift -= shift.sum() * p
        other = p + shift * (bound / (np.abs(shift).sum() / 2))
        if other.min() < 0:
            continue
        tried += 1
        assert total_variation(p, other) == pytest.approx(bound)
        assert power(p, other, draws=20_000, false_alarm=0.01) >= 0.9 - 1e-9
    even = np.full(10, 0.1)
    hardest = even + np.tile([bound / 5, -bound / 5], 5)
    assert len(make_cells(as_law(even), 20_000)) == 10
    assert power(even, hardest, draws=20_000, false_alarm=0.01) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("degrees", "false_alarm", "target"), [(1, 0.05, 0.8), (60, 0.001, 0.99), (3727, 0.01, 0.5)]
)
def test_noncentrality_inverts_the_tail(degrees: int, false_alarm: float, target: float) -> None:
    """The tail at the lambda found is the power asked for."""
    found = noncentrality(degrees=degrees, false_alarm=false_alarm, power=target)
    assert ncx2.sf(chi2.isf(false_alarm, degrees), degrees, found) == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize(
    "call",
    [
        lambda: power(P, Q, draws=100, false_alarm=0.0),
        lambda: power(P, Q, draws=-1, false_alarm=0.01),
        lambda: power(P, [0.5, 0.5], draws=100, false_alarm=0.01),
        lambda: power(P, Q * 1.01, draws=100, false_alarm=0.01),
        lambda: draws_needed(P, Q, false_alarm=0.5, power=0.5),
        lambda: noncentrality(degrees=0, false_alarm=0.01, power=0.9),
        lambda: noncentrality(degrees=3, false_alarm=math.nan, power=0.9),
        lambda: detectable_total_variation(draws=0, degrees=3, false_alarm=0.01, power=0.9),
    ],
)
def test_arguments_out_of_range(call: Callable[[], object]) -> None:
    """Rates, numbers of draws and laws that make no sense are refused."""
    with pytest.raises(InputError):
        call()
