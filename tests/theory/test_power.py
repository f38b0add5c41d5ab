"""What the test of fit can see, held against simulation and against figures worked out elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom, chi2, ncx2

from speclab.errors import InputError
from speclab.experiments.rules import RULES
from speclab.theory.floor import noncentrality
from speclab.theory.goodness import chi_square
from speclab.theory.power import draws_needed, power

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

P = np.array([0.4, 0.3, 0.2, 0.1])
Q = np.array([0.46, 0.27, 0.17, 0.10])
TARGET = np.array([0.5, 0.25, 0.15, 0.1])
DRAFT = np.array([0.3, 0.4, 0.2, 0.1])


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


@pytest.mark.parametrize("draws", [10**4, 10**6, 10**9, 10**12])
def test_far_from_p_the_power_is_one_and_a_number(draws: int) -> None:
    """However far: all draws in one cell, or nearly all, where p expects next to none."""
    p = [1 - 1e-3, 1e-3]
    assert power(p, [0.0, 1.0], draws=draws, false_alarm=0.001) == 1
    assert power(p, [1e-12, 1 - 1e-12], draws=draws, false_alarm=0.001) == 1
    assert power(p, [1.0, 0.0], draws=draws, false_alarm=0.001) == (0 if draws == 10**4 else 1)


def test_what_cannot_be_tested_has_no_power() -> None:
    """One cell: nothing is ever rejected."""
    assert power(P, Q, draws=4, false_alarm=0.001) == 0
    assert power([1.0], [1.0], draws=10_000, false_alarm=0.001) == 0


def test_draws_needed_is_the_edge() -> None:
    """That many draws are enough and one less is not; near p they follow the noncentrality."""
    needed = draws_needed(P, Q, false_alarm=0.001, power=0.99)
    assert needed is not None
    assert power(P, Q, draws=needed, false_alarm=0.001) >= 0.99
    assert power(P, Q, draws=needed - 1, false_alarm=0.001) < 0.99
    distance = float(((Q - P) ** 2 / P).sum())
    assert needed == pytest.approx(noncentrality(degrees=3, false_alarm=0.001, power=0.99) / distance, rel=0.01)


def wrong_laws() -> dict[str, tuple[NDArray[np.float64], int]]:
    """Laws of the first token under rules that are wrong, and about how many draws see each."""
    shared = np.minimum(TARGET, DRAFT)
    lacking = TARGET - shared  # what a rejection has to put back
    correction = lacking / lacking.sum()

    def dropped(kept: NDArray[np.float64]) -> NDArray[np.float64]:
        """Some proposals are dropped by what they are, and the target's law drawn from instead."""
        rejected = float(((DRAFT - shared) * kept).sum())
        law: NDArray[np.float64] = shared * kept + rejected * correction + float(DRAFT @ (1 - kept)) * TARGET
        return law

    likeliest = np.eye(4)[1]
    stands = TARGET[1] / DRAFT[1]
    cold = DRAFT ** (1 / 0.7) / (DRAFT ** (1 / 0.7)).sum()
    cold_kept = cold * np.minimum(1, TARGET / DRAFT)
    return {
        "greedy draft, ratio of the softmax": (stands * likeliest + (1 - stands) * correction, 45),
        "dropped for its own low q": (dropped(np.array([1.0, 1, 0, 0])), 230),
        "dropped where the next law is unsure": (dropped(np.array([1.0, 0, 1, 1])), 294),
        "fresh draw from p": (RULES["fresh_draw"].law(TARGET, DRAFT), 948),
        "draft at .7, ratio at 1": (cold_kept + (1 - cold_kept.sum()) * correction, 1650),
    }


@pytest.mark.parametrize("name", wrong_laws())
def test_draws_for_named_wrong_rules(name: str) -> None:
    """Tens to thousands at .001 and .99, about what the plain non-central formula says; simulation agrees."""
    law, about = wrong_laws()[name]
    distance = float(((law - TARGET) ** 2 / TARGET).sum())
    assert noncentrality(degrees=3, false_alarm=0.001, power=0.99) / distance == pytest.approx(about, rel=0.05)
    needed, half = (draws_needed(TARGET, law, false_alarm=0.001, power=each) for each in (0.99, 0.5))
    assert needed is not None
    assert half is not None
    assert 0.7 * about < needed < 1.05 * about
    tests = 1000
    assert share_rejected(TARGET, law, needed, tests) >= binom.ppf(0.001, tests, 0.99) / tests
    computed = power(TARGET, law, draws=half, false_alarm=0.001)
    assert share_rejected(TARGET, law, half, tests) == pytest.approx(computed, abs=0.06)


@pytest.mark.parametrize("shift", [0.15, -0.13])
def test_power_where_cells_are_expected_a_few_times(shift: float) -> None:
    """Forty cells expected six times each: how much the counts scatter under the other law decides too."""
    p = np.append(0.4, np.full(40, 0.015))
    other = np.append(p[0] + shift, p[1:] * (1 - shift / 0.6) * (1 + 0.1 * np.tile([1, -1], 20)))
    seen = share_rejected(p, other, 400, 4000)
    assert power(p, other, draws=400, false_alarm=0.001) == pytest.approx(seen, abs=0.03)
    # What the noncentrality alone says of it.
    plain = float(ncx2.sf(chi2.isf(0.001, 40), 40, 400 * ((other - p) ** 2 / p).sum()))
    assert abs(plain - seen) > 0.15


def share_rejected(p: NDArray[np.float64], law: NDArray[np.float64], draws: int, tests: int) -> float:
    """Of simulated tests at .001, all cells kept."""
    counts = np.random.default_rng(10).multinomial(draws, law, size=tests)
    return sum(chi_square(each, p).verdict(0.001) != "passed" for each in counts) / tests


def test_draws_needed_for_what_is_equal() -> None:
    """Equal laws, and laws that differ only inside the pooled rest, are never told apart."""
    assert draws_needed(P, P, false_alarm=0.001, power=0.99) is None
    assert draws_needed([0.5, 0.3, 0.1, 0.1], [0.5, 0.3, 0.2, 0.0], false_alarm=0.01, power=0.9, top=2) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: power(P, Q, draws=100, false_alarm=0.0),
        lambda: power(P, Q, draws=-1, false_alarm=0.01),
        lambda: power(P, [0.5, 0.5], draws=100, false_alarm=0.01),
        lambda: power(P, Q * 1.01, draws=100, false_alarm=0.01),
        lambda: draws_needed(P, Q, false_alarm=0.5, power=0.5),
    ],
)
def test_arguments_out_of_range(call: Callable[[], object]) -> None:
    """Rates, numbers of draws and laws that make no sense are refused."""
    with pytest.raises(InputError):
        call()
