"""Whether the machine kept its speed over a run."""

import math

from speclab.evidence.estimates.blocks import arm_of, every_block, plain_ns
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell


def plain_step_ms(cell: SpeedCell) -> float:
    """Plain's time a token in one block, in milliseconds."""
    return plain_ns(cell) / len(arm_of(cell, "plain", 0).ids) / 1e6


@named(sampled=True)
def earlier_over_later(run: Run) -> Estimate:
    """Plain's step in the earlier half of the blocks / in the later: what unpaired arms would read as a gain."""
    steps = [math.log(plain_step_ms(cell)) for cell in every_block(run)]
    half = len(steps) // 2
    if not half:
        msg = f"run {run.record.id} has one block, which has no halves"
        raise EmptySelectionError(msg)
    ratio = math.exp(math.fsum(steps[:half]) / half - math.fsum(steps[-half:]) / half)
    return Estimate(value=ratio, n=len(steps), of="blocks", reason="of one run; the halves hold other prompts too")
