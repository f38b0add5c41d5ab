"""What was disturbed, what was repeated, and how far a repeat can move a speed-up."""

import math

from speclab.evidence.estimates.blocks import blocks, every_block, ks_of
from speclab.evidence.estimates.estimate import Estimate
from speclab.evidence.estimates.registry import named
from speclab.evidence.estimates.speed import log_speedup
from speclab.records.reader import Run


@named(sampled=True)
def disturbed_blocks(run: Run) -> Estimate:
    """Blocks that the program judged disturbed, the repeats among them; n counts all blocks."""
    there = every_block(run)
    disturbed = sum(cell.disturbed is not None for cell in there)
    return Estimate(value=disturbed, n=len(there), of="blocks", unit="count", reason="counted, not sampled")


@named(sampled=True)
def repeated_blocks(run: Run) -> Estimate:
    """Blocks that were run once more and whose repeat is what counts; n counts the blocks that count."""
    repeated = sum(cell.attempt > 0 for cell in blocks(run))
    return Estimate(value=repeated, n=len(blocks(run)), of="blocks", unit="count", reason="counted, not sampled")


@named(sampled=True)
def disturbed_in_use(run: Run, *, kind: str | None = None) -> Estimate:
    """Blocks that count although they were disturbed, since a repeat counts whatever it shows."""
    there = blocks(run, kind=kind)
    disturbed = sum(cell.disturbed is not None for cell in there)
    return Estimate(value=disturbed, n=len(there), of="blocks", unit="count", reason="counted, not sampled")


@named(sampled=True)
def unjudged_blocks(run: Run) -> Estimate:
    """Blocks that count and are too short for a drift to show; n counts the blocks that count."""
    there = blocks(run)
    unjudged = sum(cell.unjudged is not None for cell in there)
    return Estimate(value=unjudged, n=len(there), of="blocks", unit="count", reason="counted, not sampled")


@named(sampled=True)
def largest_repeat_change(run: Run) -> Estimate:
    """Largest factor, over arms and repeated blocks, between a block's speed-up and its repeat's.

    Of disturbed blocks alone, so it is no typical spread; it shows how far one block can be off.
    """
    first = {(cell.prompt, cell.round): cell for cell in every_block(run) if cell.attempt == 0}
    changes = [
        abs(log_speedup(cell, "draft", k) - log_speedup(first[cell.prompt, cell.round], "draft", k))
        for cell in blocks(run)
        if cell.attempt > 0
        for k in ks_of(run)
    ]
    if not changes:
        return Estimate(value=1.0, n=0, of="arms", unit="ratio", reason="no block was repeated")
    return Estimate(
        value=math.exp(max(changes)), n=len(changes), of="arms", unit="ratio", reason="a largest value"
    )
