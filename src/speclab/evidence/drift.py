"""What two ways of measuring read between identical arms on a machine that changes its speed. The truth is 1.

Simulated: `speclab.measure.drifting` makes the clock, and the blocks go through the same turns and the same
estimates as measured ones.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from speclab.evidence.estimates.blocks import means_by_kind
from speclab.evidence.estimates.pooling import geometric
from speclab.evidence.estimates.speed import log_speedup
from speclab.measure.drifting import RING, block_in_turns, jumping, measured_in_turns, measured_unpaired, slowing
from speclab.measure.turns import TOKENS_A_TURN
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclab.measure.drifting import Pace
    from speclab.records.rows import ArmRow

KIND = "simulated"


class Jump(NamedTuple):
    """What is read where a jump falls at one place.

    Attributes:
        at: Share of the run before it.
        in_turns: Speed-up over all prompts, of the arm that is farther from 1.
        block: The same of the single block that is farthest from 1.
        unpaired: Speed-up read the naive way.
    """

    at: float
    in_turns: float
    block: float
    unpaired: float


def slowing_in_turns(slower: float, prompts: float, new_tokens: float) -> float:
    """Speed-up that is read in turns while the machine slows evenly; of the arm that is farther from 1."""
    return _farthest(_in_turns(slowing(slower), round(prompts), round(new_tokens)))


def slowing_unpaired(slower: float, prompts: float, new_tokens: float) -> float:
    """The same where all of plain comes first and all of speculation after it."""
    return _unpaired(slowing(slower), round(prompts), round(new_tokens))


def jump_in_turns(factor: float, prompts: float, new_tokens: float) -> float:
    """Speed-up that is read in turns where the machine jumps; at the place where it is farthest from 1."""
    return _farthest([each.in_turns for each in jumps(factor, round(prompts), round(new_tokens))])


def jump_in_block(factor: float, prompts: float, new_tokens: float) -> float:
    """The same of a single block, of that in which the jump falls worst."""
    return _farthest([each.block for each in jumps(factor, round(prompts), round(new_tokens))])


def jump_unpaired(factor: float, prompts: float, new_tokens: float) -> float:
    """The same where all of plain comes first and all of speculation after it, at the worst place."""
    return _farthest([each.unpaired for each in jumps(factor, round(prompts), round(new_tokens))])


@cache
def jumps(factor: float, prompts: int, new_tokens: int) -> tuple[Jump, ...]:
    """Every place of a jump where one turn ends and another begins.

    Between two of them a single arm is at work, and what is read moves one way: the extremes are among these.

    Args:
        factor: By which a step takes longer after the jump.
        prompts: Of the run, a block each.
        new_tokens: Of each arm of a block.
    """
    places = prompts * len(RING) * new_tokens // TOKENS_A_TURN
    return tuple(_jump(factor, place / places, prompts, new_tokens) for place in range(1, places))


def _jump(factor: float, at: float, prompts: int, new_tokens: int) -> Jump:
    pace = jumping(factor, at)
    # The blocks before and after see one speed each, and read 1.
    number = int(at * prompts)
    hit = _cell(number, block_in_turns(pace, number, prompts=prompts, new_tokens=new_tokens))
    blocks = [log_speedup(hit, "draft", k) for name, k in RING if name == "draft"]
    others = [0.0] * (prompts - 1)
    pooled = [geometric({KIND: [block, *others]}).number() for block in blocks]
    return Jump(at, _farthest(pooled), _farthest(map(math.exp, blocks)), _unpaired(pace, prompts, new_tokens))


def _in_turns(pace: Pace, prompts: int, new_tokens: int) -> list[float]:
    """Speed-up of each arm that is called speculative, as the pages pool it."""
    blocks = enumerate(measured_in_turns(pace, prompts=prompts, new_tokens=new_tokens))
    cells = [_cell(number, arms) for number, arms in blocks]

    def of(k: int) -> float:
        return geometric(means_by_kind(cells, lambda cell: log_speedup(cell, "draft", k))).number()

    return [of(k) for name, k in RING if name == "draft"]


def _cell(number: int, arms: tuple[ArmRow, ...]) -> SpeedCell:
    return SpeedCell(
        prompt=f"{KIND}-{number}",
        kind=KIND,
        round=0,
        prompt_tokens=1,
        prefill_target_ns=0,
        prefill_draft_ns=0,
        arms=arms,
    )


def _unpaired(pace: Pace, prompts: int, new_tokens: int) -> float:
    plain, speculative = measured_unpaired(pace, prompts=prompts, new_tokens=new_tokens)
    return plain / speculative


def _farthest(readings: Iterable[float]) -> float:
    """The one that is farthest from 1, as a factor; the loss where a gain is as far, but for rounding."""
    return max(readings, key=lambda reading: (round(abs(math.log(reading)), 9), -reading))
