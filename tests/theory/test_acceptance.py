"""Rates from counted iterations, on counts worked out by hand and on processes whose rates are known."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_greedy
from speclab.errors import InputError
from speclab.theory.acceptance import tally
from speclab.theory.cost import expected_tokens_per_iteration

if TYPE_CHECKING:
    from speclab.theory.acceptance import Tally


def whole(k: int, *generations: list[int]) -> Tally:
    """A tally of generations without a cut iteration."""
    return tally(k, [(counts, [True] * len(counts)) for counts in generations])


def independent(alpha: float, k: int, iterations: int, seed: int) -> list[int]:
    """Accepted counts where each proposal stands with probability alpha, whatever went before."""
    stands = np.random.default_rng(seed).random((iterations, k)) < alpha
    return [int(count) for count in np.cumprod(stands, axis=1).sum(1)]


def test_by_hand() -> None:
    """Four iterations of k = 2 that accepted 2, 0, 1 and 2."""
    found = whole(2, [2, 0], [1, 2])
    assert found.iterations == 4
    assert found.alpha == 5 / 7
    assert found.tokens_per_iteration == 2.25
    assert found.accepted_share == 5 / 8
    assert found.histogram == (1, 1, 2)
    assert found.reached == (4, 3)
    assert found.position_rates == (3 / 4, 2 / 3)


def test_only_complete_iterations_count() -> None:
    """What a stop or the budget cut is left out of every rate, and may have counted anything."""
    cut = tally(2, [([2, 0, 1], [True, True, False]), ([1, 7], [True, False])])
    assert cut == whole(2, [2, 0], [1])


@pytest.mark.parametrize(
    ("stands", "accepted", "committed"), [([1, 0, 1], 1, 2), ([1, 1, 1], 3, 4), ([0, 1, 1], 0, 1)]
)
def test_accepted_is_the_leading_run(stands: list[int], accepted: int, committed: int) -> None:
    """A proposal behind a rejection does not count, even where the target would have chosen it too."""
    best = np.eye(5)[[stand + 1 for stand in stands] + [0]]  # the target's choice is 2 where the proposal stands
    verdict = accept_greedy(Proposals((2, 2, 2)), best)
    assert verdict.accepted == accepted
    found = whole(3, [verdict.accepted])
    assert found.tokens_per_iteration == committed
    assert found.position_rates[0] == stands[0]


@pytest.mark.parametrize("count", [-1, 4])
def test_counts_out_of_range(count: int) -> None:
    """More accepted than proposed is an error, not a rate above 1."""
    with pytest.raises(InputError, match="leading run"):
        whole(3, [2, count])


@pytest.mark.parametrize(("k", "share"), [(4, 0.590), (8, 0.416)])
def test_the_share_falls_with_k_and_the_rates_do_not(k: int, share: float) -> None:
    """One draft with p = .8: accepted / proposed depends on k, alpha and the rates by position do not."""
    found = whole(k, independent(0.8, k, 100_000, seed=10))
    assert found.accepted_share == pytest.approx(share, abs=0.002)
    assert found.alpha == pytest.approx(0.8, abs=0.003)
    assert found.position_rates == pytest.approx([0.8] * k, abs=0.006)
    assert found.tokens_per_iteration == pytest.approx(expected_tokens_per_iteration(0.8, k), abs=0.02)


def test_a_position_that_was_never_reached() -> None:
    """No rate is made up where nothing was decided."""
    assert whole(3, [0, 1, 0]).position_rates == (1 / 3, 0.0, None)
    assert whole(1, [1, 1]).position_rates == (1.0,)


def test_nothing_counted() -> None:
    """No iterations, or k = 0: null and never 0 / 0."""
    empty = tally(4, [([], []), ([3], [False])])
    assert (empty.alpha, empty.tokens_per_iteration, empty.accepted_share) == (None, None, None)
    assert empty.autocorrelation() is None
    assert empty.histogram == (0, 0, 0, 0, 0)
    plain = whole(0, [0, 0, 0])
    assert (plain.alpha, plain.accepted_share, plain.tokens_per_iteration) == (None, None, 1.0)
    assert plain.position_rates == ()
    assert plain.histogram == (3,)


def test_the_cut_last_iteration() -> None:
    """alpha .85, k = 8, 64 tokens: 4.90 tokens an iteration with the cut ones, the formula's 5.12 without."""
    alpha, k, budget = 0.85, 8, 64
    generator = np.random.default_rng(11)
    generations: list[tuple[list[int], list[bool]]] = []
    iterations = 0
    for _ in range(10_000):
        accepted: list[int] = []
        complete: list[bool] = []
        left = budget
        while left:
            room = min(k, left - 1)
            run = min(int(generator.geometric(1 - alpha)) - 1, room)
            accepted.append(run)
            complete.append(room == k)
            left -= run + 1
        generations.append((accepted, complete))
        iterations += len(accepted)
    found = tally(k, generations)
    formula = expected_tokens_per_iteration(alpha, k)
    assert round(formula, 2) == 5.12
    assert found.tokens_per_iteration == pytest.approx(formula, abs=0.03)
    assert found.alpha == pytest.approx(alpha, abs=0.002)
    assert budget * len(generations) / iterations == pytest.approx(4.90, abs=0.02)
    # The same exactly: iterations needed for a number of tokens, by recursion.

    @functools.cache
    def expected_iterations(left: int) -> float:
        if left <= 0:
            return 0.0
        room = min(k, left - 1)
        law = [alpha**run * (1 - alpha) for run in range(room)] + [alpha**room]
        return 1 + sum(weight * expected_iterations(left - run - 1) for run, weight in enumerate(law))

    assert round(budget / expected_iterations(budget), 2) == 4.90
    # Where prefill has committed a token, which costs no iteration, 63 are left.
    assert round(budget / expected_iterations(budget - 1), 2) == 4.97


def test_autocorrelation_by_hand() -> None:
    """Alternating counts correlate at -1, runs positively, constant counts not at all."""
    assert whole(1, [0, 1] * 50).autocorrelation() == pytest.approx(-1)
    assert whole(2, [0, 0, 0, 2, 2, 2]).autocorrelation() == pytest.approx((1 + 1 - 1 + 1 + 1) / 5)
    assert whole(2, [1, 1, 1]).autocorrelation() is None


def test_generations_are_not_joined() -> None:
    """The last iteration of one text and the first of the next are no neighbours."""
    assert whole(1, [0], [1], [0], [1]).autocorrelation() is None
    assert whole(2, [0, 0], [2, 2]).autocorrelation() == pytest.approx(1)


def test_autocorrelation_between_and_within_texts() -> None:
    """Easy and hard texts correlate over all; within each text nothing is left but the small-sample bias."""
    easy = [independent(0.95, 4, 40, seed=100 + n) for n in range(60)]
    hard = [independent(0.45, 4, 40, seed=200 + n) for n in range(60)]
    mixed = whole(4, *easy, *hard)
    over_all, within = mixed.autocorrelation(), mixed.autocorrelation(centre="each")
    assert over_all is not None
    assert within is not None
    assert over_all > 0.3
    assert within == pytest.approx(-1 / 40, abs=0.04)
    assert whole(4, independent(0.8, 4, 20_000, seed=12)).autocorrelation() == pytest.approx(0, abs=0.02)


def test_pooled_alpha_of_a_mix_overstates_long_blocks() -> None:
    """Half the iterations at .45, half at .95: 4.61 counted at k = 8, 5.01 by formula from the pooled alpha."""
    mixed = whole(8, independent(0.45, 8, 200_000, seed=13), independent(0.95, 8, 200_000, seed=14))
    assert mixed.alpha is not None
    assert mixed.tokens_per_iteration == pytest.approx(4.61, abs=0.02)
    assert expected_tokens_per_iteration(mixed.alpha, 8) == pytest.approx(5.01, abs=0.03)
