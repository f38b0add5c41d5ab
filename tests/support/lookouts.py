"""Lookouts over a machine that is as busy as we say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.measure.others import Used
from speclab.measure.surroundings import Lookout
from speclab.records.base import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

CORES = 2


def lookout(shares: Mapping[str, float] | None = None, *, steal: float = 0.0, seconds: float = 100.0) -> Lookout:
    """One whose second look comes so much later.

    Args:
        shares: Of one core, by the program's name, between the two looks.
        steal: Seconds that all cores together gave to other guests in between.
        seconds: Between the two looks.
    """
    programs = list(enumerate((shares or {}).items()))
    used = [{pid: Used(name, 5 + share * end) for pid, (name, share) in programs} for end in (0, seconds)]
    looks, stolen, clock = iter(used), iter((7.0, 7.0 + steal)), iter((0.0, seconds))
    return Lookout(
        look=lambda: next(looks),
        steal=lambda: Reading[float](value=next(stolen)),
        cores=CORES,
        clock=lambda: next(clock),
    )


def quiet() -> Lookout:
    """One over a machine where nothing else runs."""
    return lookout()
