"""What disturbed the rows of a run, one line each: whether it was measured once more, and what that changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.evidence.estimates.speed import log_speedup
from speclab.records.rows import SpeedCell, TimingCell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.reader import Run


@dataclass(frozen=True, slots=True)
class Disturbed:
    """A block, or a cycle of a timing, that the program marked.

    Attributes:
        where: Prompt, round and sampling, or the cycle.
        reason: Every cause.
        repeated: Whether it was measured once more. Cycles are not, their medians pass over disturbed ones.
        changes: Of each k, the repeat's speed-up over that of the first attempt; empty without a repeat.
        again: Why the repeat is disturbed too; it counts all the same.
    """

    where: str
    reason: str
    repeated: bool = False
    changes: tuple[float, ...] = ()
    again: str | None = None

    @property
    def outcome(self) -> str:
        """In words: what became of it."""
        if not self.repeated:
            return "not repeated"
        low, high = (f"{end(self.changes):.2f}" for end in (min, max))
        by = f"{low} to {high}" if low != high else low
        settled = f"disturbed again: {self.again}" if self.again else "not disturbed again"
        return f"repeated, the speed-ups came out {by} times as large; {settled}"


def disturbed(run: Run) -> tuple[Disturbed, ...]:
    """Everything that the program marked as disturbed, in the order it was measured.

    Raises:
        CheckError: When the arms of a repeated block are of different lengths.
    """
    return tuple(_disturbed(run))


def unjudged(run: Run) -> dict[str, tuple[str, ...]]:
    """Where too few samples hide a disturbance: the places by the reason."""
    found: dict[str, list[str]] = {}
    for cell in run.results.cells:
        if isinstance(cell, SpeedCell | TimingCell) and cell.unjudged is not None:
            place = _block(cell) if isinstance(cell, SpeedCell) else "timing"
            there = found.setdefault(cell.unjudged, [])
            there += [] if place in there else [place]
    return {reason: tuple(places) for reason, places in found.items()}


def _disturbed(run: Run) -> Iterator[Disturbed]:
    cells = run.results.cells
    repeats = {_block(cell): cell for cell in cells if isinstance(cell, SpeedCell) and cell.attempt > 0}
    for cell in cells:
        if isinstance(cell, TimingCell) and cell.disturbed is not None:
            yield Disturbed(f"timing, cycle {cell.round}", cell.disturbed)
        if isinstance(cell, SpeedCell) and cell.attempt == 0 and cell.disturbed is not None:
            yield _with_repeat(cell, repeats.get(_block(cell)))


def _with_repeat(cell: SpeedCell, repeat: SpeedCell | None) -> Disturbed:
    if repeat is None:
        return Disturbed(_block(cell), str(cell.disturbed))
    ks = [arm.k for arm in cell.arms if arm.arm == "draft"]
    changes = tuple(math.exp(log_speedup(repeat, "draft", k) - log_speedup(cell, "draft", k)) for k in ks)
    return Disturbed(_block(cell), str(cell.disturbed), repeated=True, changes=changes, again=repeat.disturbed)


def _block(cell: SpeedCell) -> str:
    return f"{cell.prompt}, round {cell.round}, {cell.sampling.name}"
