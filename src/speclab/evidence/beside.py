"""Runs beside the one that a plan shows: the same measurement made again, to see how far such runs lie apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.difference import not_comparable
from speclab.records.same import differing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.run import RunRecord


def not_the_same(shown: RunRecord, other: RunRecord) -> tuple[str, ...]:
    """What makes a run another measurement than the one that the plan shows; empty where nothing does.

    Only then is what lies between the two due to the machine's moment alone, and to nothing that was changed.
    """
    return tuple(_departures(shown, other))


def _departures(shown: RunRecord, other: RunRecord) -> Iterator[str]:
    if shown.plan.name != other.plan.name:
        yield f"made by the plan {other.plan.name}"
    elif shown.plan_sha256 != other.plan_sha256:
        yield "another version of the plan"
    yield from not_comparable(shown, other)
    for what, one, two in (
        ("packages", shown.packages, other.packages),
        ("source files", shown.sources, other.sources),
    ):
        names = differing(one, two)
        if names:
            yield f"other {what} ({names})"
