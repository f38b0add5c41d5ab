"""Whether the machine changed its speed within a block so much that the block is measured once more."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.rows import ArmRow, IterationColumns

PLAIN_APART = 0.03
"""Two runs of the same arm in turns differ by about .005; six times that is not the arms' doing."""
DRIFT = 0.10


def disturbance(arms: Sequence[ArmRow]) -> str | None:
    """Why a block is disturbed, from its two plain arms; None where it is not.

    Either they differ by more than 3 %, or their steps of the first and the last third differ by more than 10 %
    (medians, both arms together: a single slow step is no drift).
    """
    plains = [arm for arm in arms if arm.k == 0]
    times = [arm.decode_ns for arm in plains]
    apart = max(times) / min(times) - 1
    if apart > PLAIN_APART:
        return f"the two plain arms differ by {apart:.1%}, more than {PLAIN_APART:.0%}"
    steps = [_totals(arm.iterations) for arm in plains]
    early = median([time for each in steps for time in each[: _third(each)]])
    late = median([time for each in steps for time in each[-_third(each) :]])
    drift = max(early, late) / min(early, late) - 1
    if drift > DRIFT:
        return f"plain steps of the first and the last third differ by {drift:.1%}, more than {DRIFT:.0%}"
    return None


def _third(steps: Sequence[int]) -> int:
    return max(1, len(steps) // 3)


def _totals(rows: IterationColumns) -> list[int]:
    parts = (rows.draft_ns, rows.verify_ns, rows.accept_ns, rows.rollback_ns, rows.other_ns)
    return [sum(times) for times in zip(*parts, strict=True)]
