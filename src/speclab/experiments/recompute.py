"""One row of logits, computed in ways that differ in nothing but the shapes of their passes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from speclab.experiments.replay import numbers, passes, replay
from speclab.records.rows import Way

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from speclab.decoding.protocols import Model
    from speclab.experiments.outputs import First
    from speclab.experiments.replay import Decision, Pass
    from speclab.records.plan import Dtype

    Row = NDArray[np.float64]

FRESH = ("prefill and one step", "prefill and the same pass", "one full prefill")
"""Ways that start from an empty cache and roll nothing back."""
PLAIN_PATH = "plain's path"
"""The prompt, then one token a pass."""
ARM_PATH = "the arm's path"
"""The arm's recorded passes and rollbacks."""

_MANTISSA_BITS: dict[Dtype, int] = {"bfloat16": 7, "float16": 10, "float32": 23}
_SMALLEST_EXPONENT: dict[Dtype, int] = {"bfloat16": -126, "float16": -14, "float32": -126}


def fresh_rows(fresh: Callable[[], Model], prefix: Sequence[int], block: Pass, index: int) -> dict[str, Row]:
    """The row after `prefix`, in the three ways of `FRESH`.

    Args:
        fresh: Gives the target with an empty cache.
        prefix: The prompt and the new tokens before `index`.
        block: The pass of the arm that decided new token `index`.
        index: That token, counted from 0.
    """
    depth = index - block.start
    cut = len(prefix) - 1
    rows = (
        _after(fresh(), prefix[:cut]).feed(prefix[cut:])[0],
        _after(fresh(), prefix[: cut - depth]).feed(block.fed)[depth],
        fresh().feed(prefix, last=1)[0],
    )
    return {name: numbers(row) for name, row in zip(FRESH, rows, strict=True)}


def _after(model: Model, head: Sequence[int]) -> Model:
    """The model, having taken in the first tokens in one pass."""
    if head:
        model.feed(head, last=1)
    return model


def way(name: str, row: Row, plain: int, arm: int) -> Way:
    """Both tokens' logits in one row, and which of them it favours."""
    left, right = float(row[plain]), float(row[arm])
    favours: Literal["plain", "arm", "neither", "other"]
    if row.max() > max(left, right):
        favours = "other"
    else:
        favours = "neither" if left == right else "plain" if left > right else "arm"
    return Way(name=name, plain_logit=left, arm_logit=right, favours=favours)


def apart(one: Way, other: Way) -> float:
    """Largest change of either logit between two ways."""
    return max(abs(one.plain_logit - other.plain_logit), abs(one.arm_logit - other.arm_logit))


def noise(ways: Sequence[Way]) -> float:
    """Largest change of either logit, or of their difference, among all ways but the arm's own.

    The arm's path has no part in it: a fault of its cache must not widen its own excuse.
    """
    judges = [each for each in ways if each.name != ARM_PATH]
    differences = [each.plain_logit - each.arm_logit for each in judges]
    largest = max(apart(one, other) for one in judges for other in judges)
    return max(largest, max(differences) - min(differences))


def row_noise(rows: Mapping[str, Row]) -> float:
    """Largest change of any logit of the row among all ways but the arm's own."""
    judges = np.stack([row for name, row in rows.items() if name != ARM_PATH])
    finite = judges[:, np.isfinite(judges).all(axis=0)]
    return float(np.ptp(finite, axis=0).max())


def gap(ways: Sequence[Way]) -> float:
    """Smallest gap between the two logits in any way of computing."""
    return min(abs(each.plain_logit - each.arm_logit) for each in ways)


def spacing(ways: Sequence[Way], dtype: Dtype) -> float:
    """Distance between neighbouring numbers of the dtype at the largest of the logits."""
    return spacing_at(max(max(abs(each.plain_logit), abs(each.arm_logit)) for each in ways), dtype)


def spacing_at(largest: float, dtype: Dtype) -> float:
    """Distance between neighbouring numbers of the dtype, from a number of at least 0 upwards."""
    normal = max(largest, math.ldexp(1.0, _SMALLEST_EXPONENT[dtype]))  # below it numbers lie evenly
    return math.ldexp(1.0, math.frexp(normal)[1] - 1 - _MANTISSA_BITS[dtype])


@dataclass(frozen=True, slots=True)
class Computed:
    """A first difference, computed again in every way and in one dtype.

    Attributes:
        ways: The three of `FRESH`, then both paths.
        row_noise: Largest change of any logit of the row among all ways but the arm's own.
        plain_repeats: Whether plain's path gave plain's token again.
        arm_repeats: Whether the arm's path gave the arm's token again.
    """

    ways: tuple[Way, ...]
    row_noise: float
    plain_repeats: bool
    arm_repeats: bool


def compute(target: Model, prompt: Sequence[int], firsts: Sequence[First]) -> list[Computed]:
    """Compute the first differences of one prompt again.

    Args:
        target: With an empty cache, which stays empty: every way starts from a copy.
        prompt: Tokens of the prompt.
        firsts: Where an arm left plain. Plain's path is walked once for all that share it.
    """
    plains: dict[tuple[int, ...], dict[int, Decision]] = {}
    for first in firsts:
        if first.plain.ids not in plains:
            wanted = {each.index for each in firsts if each.plain.ids == first.plain.ids}
            plains[first.plain.ids] = replay(target.fork(), prompt, first.plain, wanted)
    return [_computed(target, prompt, first, plains[first.plain.ids][first.index]) for first in firsts]


def _computed(target: Model, prompt: Sequence[int], first: First, plain: Decision) -> Computed:
    index = first.index
    prefix = (*prompt, *first.plain.ids[:index])
    block = next(each for each in passes(prompt, first.arm) if each.decides(index))
    arm = replay(target.fork(), prompt, first.arm, {index})[index]
    rows = fresh_rows(target.fork, prefix, block, index) | {PLAIN_PATH: plain.row, ARM_PATH: arm.row}
    left, right = first.plain.ids[index], first.arm.ids[index]
    return Computed(
        ways=tuple(way(name, row, left, right) for name, row in rows.items()),
        row_noise=row_noise(rows),
        plain_repeats=plain.token == left,
        arm_repeats=arm.token == right,
    )
