"""Iterations as they are written down: a column a quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.rows import IterationColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.iterations import Iteration


def columns(iterations: Sequence[Iteration]) -> IterationColumns:
    """Turn iterations into columns. Reads their clocks, which may wait for the device."""
    spent = [each.spent() for each in iterations]
    return IterationColumns(
        proposals=tuple(each.proposed for each in iterations),
        proposed=tuple(len(each.proposed) for each in iterations),
        accepted=tuple(each.accepted for each in iterations),
        committed=tuple(len(each.committed) for each in iterations),
        complete=tuple(each.complete for each in iterations),
        draft_ns=tuple(each.draft for each in spent),
        verify_ns=tuple(each.verify for each in spent),
        accept_ns=tuple(each.accept for each in spent),
        rollback_ns=tuple(each.rollback for each in spent),
        other_ns=tuple(each.other for each in spent),
    )
