"""The cost model: known values, every limit, and what it refuses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.theory.cost import (
    break_even_alpha,
    decompose,
    expected_tokens_per_iteration,
    iteration_cost,
    predicted_speedup,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_known_values() -> None:
    """alpha .8 and k = 4: 2.3616 accepted, 3.3616 tokens."""
    tokens = expected_tokens_per_iteration(0.8, 4)
    assert tokens == pytest.approx(3.3616, abs=1e-12)
    assert tokens - 1 == pytest.approx(2.3616, abs=1e-12)
    assert expected_tokens_per_iteration(0.85, 8) == pytest.approx((1 - 0.85**9) / 0.15, rel=1e-14)


@pytest.mark.parametrize("k", [0, 1, 2, 8, 64])
def test_tokens_at_the_ends_of_alpha(k: int) -> None:
    """Useless proposals leave one token an iteration, perfect ones k + 1; both without rounding."""
    assert expected_tokens_per_iteration(0.0, k) == 1
    assert expected_tokens_per_iteration(1.0, k) == k + 1
    assert expected_tokens_per_iteration(1 - 1e-15, k) == pytest.approx(k + 1, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_no_proposals_is_plain_decoding(alpha: float) -> None:
    """k = 0 brings one token, costs one step, and gains nothing whatever alpha and c are."""
    assert expected_tokens_per_iteration(alpha, 0) == 1
    assert iteration_cost(0, cost_ratio=5.0) == 1
    assert predicted_speedup(alpha, 0, cost_ratio=5.0) == 1
    assert break_even_alpha(0, cost_ratio=5.0) == 0.0
    assert break_even_alpha(0, cost_ratio=0.0, overhead=0.01) is None


@pytest.mark.parametrize(
    ("cost_ratio", "expected"), [(0.05, 0.167), (0.10, 0.287), (0.25, 0.519), (0.50, 0.741), (0.90, 0.958)]
)
def test_break_even_at_four(cost_ratio: float, expected: float) -> None:
    """Break-even for k = 4 where the check costs one step; there the speed-up is exactly 1."""
    alpha = break_even_alpha(4, cost_ratio=cost_ratio)
    assert alpha is not None
    assert round(alpha, 3) == expected
    assert predicted_speedup(alpha, 4, cost_ratio=cost_ratio) == pytest.approx(1, abs=1e-12)


def test_a_free_draft() -> None:
    """At c = 0 and v = 1 an iteration costs one step: every alpha gains E."""
    assert break_even_alpha(4, cost_ratio=0.0) == 0.0
    assert predicted_speedup(0.8, 4, cost_ratio=0.0) == pytest.approx(3.3616)


@pytest.mark.parametrize("k", [1, 4, 8])
def test_a_draft_as_slow_as_the_target_cannot_pay(k: int) -> None:
    """At c = 1 the iteration costs k + 1 steps and brings at most k + 1 tokens; above it, it loses."""
    assert break_even_alpha(k, cost_ratio=1.0) is None
    assert break_even_alpha(k, cost_ratio=1.5) is None
    assert predicted_speedup(1.0, k, cost_ratio=1.0) == 1
    assert predicted_speedup(1.0, k, cost_ratio=1.5) < 1
    just_below = break_even_alpha(k, cost_ratio=1 - 1e-9)
    assert just_below is not None
    assert 1 - 1e-8 < just_below < 1


def test_limits_of_the_cost_of_an_iteration() -> None:
    """0.0 up to C = 1 and None from C = k + 1, whichever part of the cost leads there."""
    assert break_even_alpha(4, cost_ratio=0.0, verify_ratio=0.8) == 0.0
    assert break_even_alpha(4, cost_ratio=0.1, verify_ratio=0.6) == 0.0
    assert break_even_alpha(2, cost_ratio=0.5, verify_ratio=2.0) is None
    assert break_even_alpha(2, cost_ratio=0.5, verify_ratio=1.0, overhead=1.0) is None
    assert break_even_alpha(1, cost_ratio=0.25, verify_ratio=1.25, overhead=0.25) == pytest.approx(0.75)


def test_break_even_rises_with_every_cost() -> None:
    """A dearer draft, check or overhead needs more accepted guesses; so do more guesses of the same price."""

    def even(k: int = 4, c: float = 0.3, v: float = 1.1, overhead: float = 0.02) -> float:
        alpha = break_even_alpha(k, cost_ratio=c, verify_ratio=v, overhead=overhead)
        assert alpha is not None
        return alpha

    assert even() < even(c=0.4)
    assert even() < even(v=1.3)
    assert even() < even(overhead=0.1)
    assert even(k=2, v=1.0, overhead=0.0) < even(k=6, v=1.0, overhead=0.0)


def test_the_three_parts_of_the_cost() -> None:
    """Drafting counts k times, the check and the overhead once."""
    assert iteration_cost(3, cost_ratio=0.4, verify_ratio=1.2, overhead=0.05) == pytest.approx(2.45)


@pytest.mark.parametrize("alpha", [math.nan, -0.01, 1.01, math.inf])
def test_alpha_must_be_a_probability(alpha: float) -> None:
    """Also 1.01, as accepted tokens counted past a rejection would give it."""
    with pytest.raises(InputError, match="alpha"):
        expected_tokens_per_iteration(alpha, 4)
    with pytest.raises(InputError, match="alpha"):
        predicted_speedup(alpha, 4, cost_ratio=0.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: expected_tokens_per_iteration(0.5, -1),
        lambda: iteration_cost(-1, cost_ratio=0.5),
        lambda: break_even_alpha(-1, cost_ratio=0.5),
        lambda: iteration_cost(4, cost_ratio=math.nan),
        lambda: iteration_cost(4, cost_ratio=-0.1),
        lambda: iteration_cost(4, cost_ratio=0.5, verify_ratio=0.0),
        lambda: predicted_speedup(0.5, 4, cost_ratio=0.5, verify_ratio=math.inf),
        lambda: break_even_alpha(4, cost_ratio=0.5, overhead=math.nan),
        lambda: decompose(3.0, parts=0.0, measured=1.2),
        lambda: decompose(3.0, parts=2.0, measured=math.nan),
    ],
)
def test_other_arguments_out_of_range(call: Callable[[], object]) -> None:
    """NaN, negative and infinite arguments are refused by name."""
    with pytest.raises(InputError, match=r"it must be|is at least|never free"):
        call()


def test_what_the_parts_leave_over() -> None:
    """3.76 tokens, 39.0 ms of drafting, 63.5 ms of checking, 27.95 ms a plain step, measured .931."""
    found = decompose(3.76, parts=(39.0 + 63.5) / 27.95, measured=0.931)
    assert found.accounted == pytest.approx(1.025, abs=5e-4)
    assert found.residual == pytest.approx(-0.092, abs=1e-3)
    assert found.overhead * 27.95 == pytest.approx(3.76 * 27.95 / 0.931 - 102.5)
    assert found.sign_flip
    # The measured speed-up follows once the missing part is put back.
    parts = (39.0 + 63.5) / 27.95
    assert 3.76 / (parts + found.overhead) == pytest.approx(0.931)


@pytest.mark.parametrize(
    ("accounted", "measured", "flips"), [(1.312, 1.251, False), (1.025, 0.931, True), (1.074, 0.988, True)]
)
def test_residual_and_sign_flip(accounted: float, measured: float, flips: bool) -> None:
    """Three published rows: 5 to 10 % are missing each time, and two predicted gains were losses."""
    found = decompose(accounted * 3.0, parts=3.0, measured=measured)
    assert found.accounted == pytest.approx(accounted)
    assert -0.10 < found.residual < -0.045
    assert found.overhead > 0
    assert found.sign_flip is flips


@pytest.mark.parametrize(("k", "excess"), [(2, 0.029), (4, 0.138), (8, 0.44)])
def test_a_mix_of_texts_bends_the_formula(k: int, excess: float) -> None:
    """Half at .45 and half at .95 bring more than the mean alpha promises: E is convex in alpha."""
    counted = (expected_tokens_per_iteration(0.45, k) + expected_tokens_per_iteration(0.95, k)) / 2
    assert counted / expected_tokens_per_iteration(0.7, k) - 1 == pytest.approx(excess, abs=0.002)
