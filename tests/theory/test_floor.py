"""What no alternative can hide, and what no test sees: the bounds, and that they are reached and not crossed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells
from speclab.theory.floor import BFLOAT16_TILT, detectable_total_variation, draws_for_tilt, noncentrality
from speclab.theory.goodness import total_variation
from speclab.theory.power import draws_needed, power

if TYPE_CHECKING:
    from collections.abc import Callable


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
    assert power(even, hardest, draws=20_000, false_alarm=0.01) == pytest.approx(0.9, abs=2e-4)


@pytest.mark.parametrize(
    ("degrees", "false_alarm", "target"), [(1, 0.05, 0.8), (60, 0.001, 0.99), (3727, 0.01, 0.5)]
)
def test_noncentrality_inverts_the_tail(degrees: int, false_alarm: float, target: float) -> None:
    """The tail at the lambda found is the power asked for."""
    found = noncentrality(degrees=degrees, false_alarm=false_alarm, power=target)
    assert ncx2.sf(chi2.isf(false_alarm, degrees), degrees, found) == pytest.approx(target, abs=1e-9)


def test_no_tilt_is_seen_with_fewer_draws_than_the_bound() -> None:
    """Random tilts within .4 % need at least that many; a full one of half the mass needs just as many."""
    generator = np.random.default_rng(8)
    least = draws_for_tilt(tilt=0.004, degrees=3, false_alarm=0.001, power=0.99)
    assert least == 2_370_710
    p = np.array([0.4, 0.3, 0.2, 0.1])
    for share in generator.uniform(-0.004, 0.004, size=(20, 4)):
        tilted = p * (1 + share - share @ p)  # adds up to 1; within .004 of p once the mean is taken off
        needed = draws_needed(p, tilted, false_alarm=0.001, power=0.99)
        largest = float(np.abs(tilted / p - 1).max())
        bound = draws_for_tilt(tilt=largest, degrees=3, false_alarm=0.001, power=0.99)
        assert needed is None or needed > 0.999 * bound
    full = p * (1 + 0.004 * np.array([1, -1, -1, 1]))  # .4 + .1 up, .3 + .2 down
    assert draws_needed(p, full, false_alarm=0.001, power=0.99) == pytest.approx(least, rel=1e-4)


def test_rounding_to_bfloat16_is_below_any_practical_test() -> None:
    """A law whose every probability is rounded lies just within it; over the cells of a plan it takes millions."""
    law = np.random.default_rng(9).dirichlet(np.full(5000, 0.5))
    bits = law.astype(np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    assert 0.98 * BFLOAT16_TILT < float(np.abs(rounded / law - 1).max()) < BFLOAT16_TILT
    assert 5_000_000 < draws_for_tilt(tilt=BFLOAT16_TILT, degrees=60, false_alarm=0.001, power=0.99) < 6_000_000


@pytest.mark.parametrize(
    "call",
    [
        lambda: noncentrality(degrees=0, false_alarm=0.01, power=0.9),
        lambda: noncentrality(degrees=3, false_alarm=math.nan, power=0.9),
        lambda: noncentrality(degrees=3, false_alarm=0.01, power=0.01),
        lambda: detectable_total_variation(draws=0, degrees=3, false_alarm=0.01, power=0.9),
        lambda: draws_for_tilt(tilt=0.0, degrees=3, false_alarm=0.01, power=0.9),
        lambda: draws_for_tilt(tilt=math.nan, degrees=3, false_alarm=0.01, power=0.9),
    ],
)
def test_arguments_out_of_range(call: Callable[[], object]) -> None:
    """Rates, degrees, draws and tilts that make no sense are refused."""
    with pytest.raises(InputError):
        call()
