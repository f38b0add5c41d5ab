"""Acceptance: complete iterations alone, sums before ratios, prompts as the unit of an interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from hand_rows import arm, block, run_of
from speclab.evidence.estimates import EmptySelectionError, estimate
from speclab.evidence.estimates.acceptance import (
    accepted_share,
    alpha,
    autocorrelation,
    histogram_share,
    iterations,
    position_rate,
    tokens_by_formula,
    tokens_by_own_alpha,
    tokens_per_iteration,
)
from speclab.evidence.estimates.pooling import ratio_of_sums

if TYPE_CHECKING:
    from speclab.records.reader import Run


def _run(**accepted: tuple[int, ...]) -> Run:
    return run_of(*(block(name.replace("_", "-"), arm("draft", 2, 9, each)) for name, each in accepted.items()))


def test_rates_of_one_prompt_by_hand() -> None:
    """Accepted 2, 1, 0, 2 of k = 2: five stood, two were rejected."""
    run = _run(prose_1=(2, 1, 0, 2))
    assert alpha(run, k=2).value == pytest.approx(5 / 7)
    assert tokens_per_iteration(run, k=2).value == pytest.approx(9 / 4)
    assert position_rate(run, k=2, position=1).value == pytest.approx(3 / 4)
    assert position_rate(run, k=2, position=2).value == pytest.approx(2 / 3)
    assert [histogram_share(run, k=2, accepted=n).value for n in (0, 1, 2)] == pytest.approx([0.25, 0.25, 0.5])
    assert accepted_share(run, k=2).value == pytest.approx(5 / 8)
    assert iterations(run, k=2).value == 4
    rate = 5 / 7
    assert tokens_by_formula(run, k=2).value == pytest.approx(1 + rate + rate**2)


def test_iterations_that_were_cut_do_not_count() -> None:
    """Without the last one everything stood."""
    run = run_of(block("prose-1", arm("draft", 2, 9, (2, 2, 0), cut=(2,))))
    assert alpha(run, k=2).value == 1.0
    assert tokens_per_iteration(run, k=2).value == 3.0
    assert iterations(run, k=2).value == 2


def test_alpha_is_pooled_over_iterations_and_not_averaged_over_prompts() -> None:
    """1 of 4 and 8 of 8: together 9 of 12, not 5/8."""
    run = _run(prose_1=(0, 1, 0), prose_2=(2, 2, 2, 2))
    assert alpha(run, k=2).value == pytest.approx(9 / 12)


def test_interval_counts_prompts_and_not_tokens() -> None:
    """Linearised variance of a ratio of sums, by hand: 1/2, 3/4, 4/4 of ten."""
    pairs = {"prose": [(1.0, 2.0), (3.0, 4.0), (4.0, 4.0)]}
    found = ratio_of_sums(pairs, unit="share")
    ratio = 0.8
    errors = [1 - ratio * 2, 3 - ratio * 4, 4 - ratio * 4]
    spread = sum(each**2 for each in errors) / 2  # their mean is 0
    half = 4.302652729911275 * math.sqrt(3 * spread) / 10
    assert found.value == pytest.approx(ratio)
    assert found.low == pytest.approx(ratio - half)
    assert found.high == 1.0  # cut where no share can be
    assert ratio + half > 1
    assert found.n == 3


def test_spread_between_kinds_is_not_counted_where_kinds_have_prompts_of_their_own() -> None:
    """Kinds are given, not drawn; with one prompt each they must be."""
    apart = {"easy": [(9.0, 10.0), (9.2, 10.0)], "hard": [(1.0, 10.0), (1.2, 10.0)]}
    within = ratio_of_sums(apart, unit="share")
    across = ratio_of_sums({"a": [(9.1, 10.0)], "b": [(1.1, 10.0)], "c": [(5.0, 10.0)]}, unit="share")
    assert within.low is not None
    assert within.high is not None
    assert within.high - within.low == pytest.approx(2 * 4.302652729911275 * math.sqrt(4 * 0.02) / 40)
    assert (across.low, across.high) == (0.0, 1.0)


def test_no_interval_below_three_prompts_nor_without_spread() -> None:
    """Two say nothing of their spread, and three that agree hide it."""
    assert alpha(_run(prose_1=(1,), prose_2=(2,)), k=2).reason == "2 prompts; an interval needs at least 3"
    agreed = alpha(_run(prose_1=(2,), prose_2=(2,), prose_3=(2,)), k=2)
    assert (agreed.value, agreed.low) == (1.0, None)
    assert agreed.reason is not None
    assert "agree" in agreed.reason


def test_a_position_that_was_never_reached_has_no_rate() -> None:
    """0/0 is not 0."""
    run = _run(prose_1=(0, 0))
    assert position_rate(run, k=2, position=1).value == 0.0
    with pytest.raises(EmptySelectionError, match="no denominator"):
        position_rate(run, k=2, position=2)
    with pytest.raises(EmptySelectionError, match="from 1 to 2"):
        position_rate(run, k=2, position=3)
    with pytest.raises(EmptySelectionError, match="from 0 to 2"):
        histogram_share(run, k=2, accepted=3)


def test_autocorrelation_tells_between_texts_from_within_one() -> None:
    """Two texts, each with one constant count: dependence between them only."""
    run = _run(prose_1=(2, 2, 2), prose_2=(0, 0, 0))
    assert autocorrelation(run, k=2).value == pytest.approx(1.0)
    assert autocorrelation(run, k=2, centre="each").value is None
    assert estimate("autocorrelation", run, {"k": 2, "centre": "all"}).n == 2


def test_each_prompts_own_alpha_explains_what_the_texts_differ_by() -> None:
    """Half and all of one guess: pooled, three in four, it promises 1.75; one by one 1.5 and 2."""
    run = run_of(
        block("prose-1", arm("draft", 1, 9, (0, 1))),
        block("prose-2", arm("draft", 1, 9, (1, 1))),
    )
    assert tokens_by_formula(run, k=1).value == pytest.approx(1.75)
    assert tokens_by_own_alpha(run, k=1).value == pytest.approx((1.5 + 2) / 2)
    # At a larger k the formula bends: the mean of two places on it is not the place of their mean.
    bent = run_of(
        block("prose-1", arm("draft", 2, 9, (0, 0))),
        block("prose-2", arm("draft", 2, 9, (2, 2))),
    )
    rate = 4 / 6
    assert tokens_by_formula(bent, k=2).value == pytest.approx(1 + rate + rate**2)
    assert tokens_by_own_alpha(bent, k=2).value == pytest.approx((1 + 3) / 2)


def test_no_complete_iteration_is_no_number() -> None:
    """And is said."""
    run = run_of(block("prose-1", arm("draft", 2, 9, (1,), cut=(0,))))
    with pytest.raises(EmptySelectionError, match="no iteration at k = 2 was complete"):
        tokens_by_own_alpha(run, k=2)
