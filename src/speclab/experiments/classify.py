"""The verdict on a first difference.

- `not repeatable`: the same passes, made again, did not give plain's or the arm's token again. The machine or its
  threads did it; it is never excused.
- `bug`: in float32 too the two paths are further apart than float32's rounding, or the arm's own logits are
  further from every fresh way than rounding, or nothing below explains the gap.
- `tie`: in some way of computing the two logits are at most one spacing of the dtype apart.
- `shape numerics`: they are at most the noise apart, which is what the shape of a pass changes.

To excuse, the noise of the two logits counts. To accuse, the noise of the whole row does: four ways of computing
two logits often agree by chance, and a fifth then stands apart for no reason, while a wrong cache moves logits by
far more than rounding moves any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.experiments.recompute import ARM_PATH, FRESH, PLAIN_PATH, apart, spacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeAlias

    from speclab.records.rows import Recomputed, Way

    Verdict: TypeAlias = Literal["tie", "shape numerics", "bug", "not repeatable"]


def classify(found: Recomputed, float32: Sequence[Way], float32_noise: float | None) -> Verdict:
    """Decide what a first difference is.

    Args:
        found: The difference in the dtype of the run.
        float32: The same ways in float32, or none.
        float32_noise: Largest change of any logit of the row in float32; None where there was no rerun.
    """
    if not (found.plain_repeats and found.arm_repeats):
        return "not repeatable"
    if _paths_apart(float32, float32_noise) or _arm_apart(found):
        return "bug"
    if found.gap <= found.spacing:
        return "tie"
    return "shape numerics" if found.gap <= found.noise else "bug"


def _paths_apart(float32: Sequence[Way], float32_noise: float | None) -> bool:
    """Whether the two paths differ in float32 by more than its rounding, which is at least one spacing."""
    if float32_noise is None:
        return False
    named = {each.name: each for each in float32}
    return apart(named[PLAIN_PATH], named[ARM_PATH]) > max(float32_noise, spacing(float32, "float32"))


def _arm_apart(found: Recomputed) -> bool:
    """Whether the arm's own logits are further from every fresh way than rounding, at least one spacing."""
    named = {each.name: each for each in found.ways}
    rounding = max(found.row_noise, found.spacing)
    return min(apart(named[ARM_PATH], named[name]) for name in FRESH) > rounding
