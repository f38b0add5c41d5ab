"""The time of one step of each model, as the rows show it: from `timing` where it was run, else from `speed`."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from speclab.records.rows import SpeedCell, TimingCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.rows import Cell, ModelRole


def target_step_ns(cells: Sequence[Cell]) -> float | None:
    """Median pass of the target over one token; None where no row holds one."""
    plain = [
        verify
        for cell in cells
        if isinstance(cell, SpeedCell)
        for arm in cell.arms
        if arm.k == 0
        for verify in arm.iterations.verify_ns
    ]
    return _timed(cells, "target") or (median(plain) if plain else None)


def draft_step_ns(cells: Sequence[Cell]) -> float | None:
    """Median pass of the draft over one token, or its mean share of an iteration; None where no row holds one."""
    shares = [
        spent / proposed
        for cell in cells
        if isinstance(cell, SpeedCell)
        for arm in cell.arms
        for spent, proposed in zip(arm.iterations.draft_ns, arm.iterations.proposed, strict=True)
        if proposed
    ]
    return _timed(cells, "draft") or (median(shares) if shares else None)


def _timed(cells: Sequence[Cell], model: ModelRole) -> float | None:
    times = [
        each.nanoseconds
        for cell in cells
        if isinstance(cell, TimingCell)
        for each in cell.passes
        if each.model == model and each.tokens == 1
    ]
    return median(times) if times else None
