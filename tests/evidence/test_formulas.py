"""The arithmetic that a computed value can name, against a loop that was counted by hand."""

from __future__ import annotations

import random

import pytest

from speclab.evidence.formulas import FORMULAS, find_formula


def test_catching_up_costs_what_a_loop_that_feeds_two_tokens_costs() -> None:
    """Counted over many iterations: the first pass takes in two tokens where all guesses stood before."""
    k, alpha, step, two = 2, 0.8, 0.4, 1.5
    chance = random.Random(5)
    iterations, spent, all_stood = 200_000, 0.0, False
    for _ in range(iterations):
        spent += step * (k - 1 + (two if all_stood else 1))
        all_stood = all(chance.random() < alpha for _ in range(k))
    given = {"k": k, "alpha": alpha, "cost_ratio": step, "two": two}
    counted = spent / iterations
    assert find_formula("drafting_steps", given).function(**given) == pytest.approx(counted, abs=2e-3)


def test_without_a_second_token_to_feed_drafting_is_k_steps() -> None:
    """A pass over two tokens at the price of one, or no guess that stands."""
    drafting = FORMULAS["drafting_steps"].function
    assert drafting(k=4, alpha=0.9, cost_ratio=0.3, two=1.0) == pytest.approx(1.2)
    assert drafting(k=4, alpha=0.0, cost_ratio=0.3, two=2.0) == pytest.approx(1.2)


def test_a_product_keeps_the_unit_of_what_is_multiplied() -> None:
    """As a difference does."""
    assert FORMULAS["product"].function(of=0.25, by=2.0) == 0.5
    assert FORMULAS["product"].unit is None
