"""What a verdict rests on: ways of computing, spacing, noise, and the comparison of outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from small_session import small_plan
from speclab.errors import CheckError
from speclab.experiments.classify import classify
from speclab.experiments.outputs import compare, first_difference
from speclab.experiments.recompute import (
    ARM_PATH,
    FRESH,
    PLAIN_PATH,
    gap,
    noise,
    row_noise,
    spacing,
    way,
)
from speclab.records.rows import Recomputed, SpeedCell, Way
from synthetic import synthetic_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.plan import Dtype
    from speclab.records.rows import ArmRow

NAMES = (*FRESH, PLAIN_PATH, ARM_PATH)


def ways(*logits: tuple[float, float]) -> tuple[Way, ...]:
    """The three fresh ways, plain's path, the arm's path: each with plain's and the arm's logit."""
    return tuple(
        Way(name=name, plain_logit=left, arm_logit=right, favours="plain" if left > right else "arm")
        for name, (left, right) in zip(NAMES, logits, strict=True)
    )


def recomputed(found: Sequence[Way], *, dtype: Dtype = "bfloat16", **changes: Any) -> Recomputed:
    fields: dict[str, Any] = {
        "arm": "draft",
        "k": 4,
        "index": 3,
        "prefix_sha256": "ab" * 32,
        "plain_token": 1,
        "arm_token": 2,
        "plain_text": " a",
        "arm_text": " b",
        "gap": gap(found),
        "spacing": spacing(found, dtype),
        "noise": noise(found),
        "row_noise": noise(found),
        "ways": tuple(found),
        "plain_repeats": True,
        "arm_repeats": True,
    }
    return Recomputed.model_validate(fields | changes)


TIE = ways((19.0, 19.0), (19.0, 19.125), (19.0, 19.0), (19.0, 19.0), (19.0, 19.125))
NUMERICS = ways((19.5, 19.0), (19.0, 19.25), (19.25, 19.0), (19.5, 19.0), (19.0, 19.25))
UNEXPLAINED = ways((19.5, 19.0), (19.5, 19.0), (19.5, 19.0), (19.5, 19.0), (19.0, 19.5))
FAR = ways((19.5, 19.0), (19.0, 19.25), (19.25, 19.0), (19.5, 19.0), (16.0, 17.0))
ONE_SPACING = ways(*[(19.125, 19.0)] * 4, (19.0, 19.125))
"""A gap of one spacing everywhere, and no noise."""
JUST_NOISE = ways((19.5, 19.25), (19.25, 19.5), (19.5, 19.25), (19.5, 19.25), (19.25, 19.5))
"""Two spacings one way or the other; the noise is the four between them."""
LIKE_ONE = ways((19.5, 19.0), (16.0, 17.0), (19.5, 19.0), (19.5, 19.0), (16.0, 17.0))
"""The arm's path is far from two fresh ways, and like the third."""
EXACT = ways(*[(19.01, 19.02)] * 4, (19.01, 19.020001))
EXACT_FAR = ways(*[(19.01, 19.02)] * 4, (19.01, 19.03))


@pytest.mark.parametrize(
    ("found", "float32", "expected"),
    [
        (TIE, EXACT, "tie"),
        (TIE, (), "tie"),
        (ONE_SPACING, EXACT, "tie"),
        (JUST_NOISE, EXACT, "shape numerics"),
        (NUMERICS, EXACT, "shape numerics"),
        (UNEXPLAINED, EXACT, "bug"),
        (FAR, EXACT, "bug"),
        # Float32 tells a fault even where half precision would call it a tie.
        (TIE, EXACT_FAR, "bug"),
        (NUMERICS, EXACT_FAR, "bug"),
    ],
)
def test_the_verdict_follows_the_evidence(found: tuple[Way, ...], float32: tuple[Way, ...], expected: str) -> None:
    """Bug before tie before shape numerics; what nothing explains is a bug."""
    assert classify(recomputed(found), float32, 1e-5 if float32 else None) == expected


def test_an_arm_like_one_fresh_way_is_not_accused() -> None:
    """It is a bug only where no fresh way gives what the arm's path gives."""
    assert classify(recomputed(LIKE_ONE, row_noise=0.25), EXACT, 1e-5) == "shape numerics"
    assert classify(recomputed(FAR, row_noise=0.25), EXACT, 1e-5) == "bug"


def test_a_gap_equal_to_the_noise_is_noise() -> None:
    """The bound belongs to the excuse, and nothing beyond it."""
    found = recomputed(UNEXPLAINED, row_noise=9.0)
    assert classify(found.model_copy(update={"noise": found.gap}), EXACT, 1e-5) == "shape numerics"
    assert classify(found.model_copy(update={"noise": found.gap - 0.125}), EXACT, 1e-5) == "bug"


@pytest.mark.parametrize("path", ["plain_repeats", "arm_repeats"])
def test_what_does_not_repeat_is_never_excused(path: str) -> None:
    """A tie that the same passes do not give again is not a tie."""
    found = recomputed(TIE).model_copy(update={path: False})
    assert classify(found, EXACT, 1e-5) == "not repeatable"


def test_rounding_of_one_spacing_accuses_nobody() -> None:
    """All other ways agreeing by chance leave no noise; one spacing is still how numbers are rounded."""
    alike = ways(*[(19.0, 19.0)] * 4, (19.0, 19.125))
    assert noise(alike) == 0
    assert classify(recomputed(alike, row_noise=0.0), EXACT, 0.0) == "tie"


def test_noise_in_the_rest_of_the_row_accuses_later_but_excuses_nothing() -> None:
    """A gap over the noise of its own two logits is a bug, however much others of the row move."""
    assert classify(recomputed(UNEXPLAINED, row_noise=9.0), EXACT, 1e-5) == "bug"
    # Here it decides: the arm's logits are two spacings off, which others of the row are too.
    shifted = ways(*[(19.0, 19.0)] * 4, (18.75, 19.0))
    assert classify(recomputed(shifted, row_noise=0.25), EXACT, 1e-5) == "tie"
    assert classify(recomputed(shifted, row_noise=0.125), EXACT, 1e-5) == "bug"


def test_the_arms_path_adds_nothing_to_the_noise() -> None:
    """A fault of the arm's cache must not widen its own excuse."""
    assert noise(FAR) == noise(NUMERICS) == 0.75
    rows = {name: np.zeros(4) for name in NAMES} | {ARM_PATH: np.full(4, 9.0), FRESH[1]: np.array([0, 0.5, 0, 0])}
    assert row_noise(rows) == 0.5


def test_noise_takes_the_difference_of_the_logits_too() -> None:
    """Both logits moving by one spacing in opposite directions move their difference by two."""
    assert noise(ways((1.0, 2.0), (1.25, 1.75), *[(1.0, 2.0)] * 3)) == 0.5


def test_a_row_with_masked_entries_has_noise() -> None:
    """An entry of -inf does not move, and is no NaN."""
    rows = {name: np.array([-np.inf, 1.0]) for name in NAMES} | {FRESH[0]: np.array([-np.inf, 1.5])}
    assert row_noise(rows) == 0.5


@pytest.mark.parametrize(
    ("dtype", "logit", "expected"),
    [
        ("bfloat16", 15.0, 0.0625),
        ("bfloat16", 19.0, 0.125),
        ("bfloat16", -19.0, 0.125),
        ("float16", 15.44, 2**-7),
        ("float16", 12.27, 2**-7),
        ("float16", 1e-7, 2**-24),
        ("float32", 19.0, 2**-19),
        ("bfloat16", 0.0, 2**-133),
    ],
)
def test_spacing_is_the_distance_of_neighbouring_numbers(dtype: Dtype, logit: float, expected: float) -> None:
    """At the larger of the logits; the smallest numbers of a dtype lie evenly."""
    assert spacing(ways(*[(logit, 0.0)] * 5), dtype) == expected


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_spacing_is_that_of_torch(dtype: Dtype) -> None:
    """The same distance as torch finds between neighbours."""
    value = torch.tensor(13.7, dtype=getattr(torch, dtype))
    above = torch.nextafter(value, torch.full_like(value, 99.0))
    assert spacing(ways(*[(float(value), 0.0)] * 5), dtype) == float(above) - float(value)


@pytest.mark.parametrize(
    ("row", "expected"),
    [([0, 2, 1, 0], "plain"), ([0, 1, 2, 0], "arm"), ([0, 2, 2, 0], "neither"), ([3, 2, 1, 0], "other")],
)
def test_a_way_favours_the_likelier_token(row: list[float], expected: str) -> None:
    """Neither where both are equal, other where a third is likelier than both."""
    found = way("x", np.array(row, dtype=np.float64), 1, 2)
    assert (found.plain_logit, found.arm_logit, found.favours) == (row[1], row[2], expected)


def block(**changes: Any) -> SpeedCell:
    """A simulated block of two draft arms, in which no arm differs from plain."""
    plan = small_plan(speed={"ks": (1, 2), "new_tokens": 8})
    cells = synthetic_run(plan=plan)[1].cells
    return next(each for each in cells if isinstance(each, SpeedCell)).model_copy(update=changes)


def with_ids(cell: SpeedCell, arm: str, k: int, change: dict[int, int]) -> SpeedCell:
    """The same block with some tokens of one arm replaced."""

    def changed(row: ArmRow) -> ArmRow:
        if (row.arm, row.k) != (arm, k):
            return row
        return row.model_copy(update={"ids": tuple(change.get(i, token) for i, token in enumerate(row.ids))})

    return cell.model_copy(update={"arms": tuple(changed(row) for row in cell.arms)})


def test_outputs_are_compared_within_their_block() -> None:
    """Each arm but plain against the plain arm of its own block, attempts told apart."""
    same = block()
    other = with_ids(block(round=1, attempt=1), "draft", 2, {5: 1, 7: 2})
    found = compare([same, other])
    assert [(each.arm, each.k, each.round, each.attempt, each.index) for each in found.comparisons] == [
        ("plain_again", 0, 0, 0, None),
        ("draft", 1, 0, 0, None),
        ("draft", 2, 0, 0, None),
        ("plain_again", 0, 1, 1, None),
        ("draft", 1, 1, 1, None),
        ("draft", 2, 1, 1, 5),
    ]
    assert [each.difference for each in found.comparisons] == [None] * 5 + [0]
    [first] = found.firsts
    assert (first.index, first.arm.k, first.arm.ids[5]) == (5, 2, 1)


def test_an_output_that_changes_between_blocks_is_flagged() -> None:
    """One configuration must give one output, even where it agrees with plain in its own block."""
    blocks = [
        block(),
        with_ids(with_ids(block(round=1), "plain", 0, {3: 1}), "plain_again", 0, {3: 1}),
        block(round=2),
    ]
    found = compare(blocks)
    assert [(each.arm, each.k, each.blocks) for each in found.changed] == [
        ("plain", 0, (blocks[1].key,)),
        ("plain_again", 0, (blocks[1].key,)),
    ]
    assert [each.k for each in found.comparisons if not each.identical] == [1, 2]


def test_the_same_difference_by_other_passes_is_another_one() -> None:
    """Same tokens, but the arm proposed otherwise before them: its path is another computation."""
    once = with_ids(block(), "draft", 2, {5: 1})
    row = once.arms[-1]
    proposals = ((4, 4), *row.iterations.proposals[1:])
    other = row.model_copy(update={"iterations": row.iterations.model_copy(update={"proposals": proposals})})
    assert row.iterations.proposals != proposals
    twice = once.model_copy(update={"round": 1, "arms": (*once.arms[:-1], other)})
    assert len(compare([once, once]).firsts) == 1
    assert len(compare([once, twice]).firsts) == 2


def test_outputs_of_different_length_are_refused() -> None:
    """A shorter output that agrees as far as it goes is no equal output."""
    cell = block()
    short = cell.arms[-1].model_copy(update={"ids": cell.arms[-1].ids[:-1]})
    with pytest.raises(CheckError, match="7 new tokens and plain 8"):
        compare([cell.model_copy(update={"arms": (*cell.arms[:-1], short)})])
    assert first_difference((1, 2, 3), (1, 2, 3)) is None
    assert first_difference((1, 2, 3), (1, 9, 4)) == 1
