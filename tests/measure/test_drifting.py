"""Identical arms on a machine that changes its speed: 1.00 in turns, and a false gain or loss without."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from hand_rows import run_of
from speclab.evidence.drift import (
    jump_in_block,
    jump_in_turns,
    jump_unpaired,
    jumps,
    slowing_in_turns,
    slowing_unpaired,
)
from speclab.evidence.estimates.speed import noise_floor, speedup
from speclab.measure.disturbance import disturbance
from speclab.measure.drifting import RING, STEP_NS, DriftingClock, jumping, measured_in_turns, slowing
from speclab.measure.turns import TOKENS_A_TURN
from speclab.records.machine import Surroundings
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from speclab.records.rows import ArmRow

PROMPTS, NEW_TOKENS = 6, 32
SLOWER, FACTOR = 0.05, 1.7


def _cells(blocks: tuple[tuple[ArmRow, ...], ...]) -> tuple[SpeedCell, ...]:
    return tuple(
        SpeedCell(
            prompt=f"prose-{number}",
            kind="prose",
            round=0,
            prompt_tokens=1,
            prefill_target_ns=0,
            prefill_draft_ns=0,
            arms=arms,
        )
        for number, arms in enumerate(blocks, 1)
    )


@pytest.mark.parametrize("rotation", range(len(RING)))
@pytest.mark.parametrize("slower", [SLOWER, -SLOWER])
def test_in_turns_a_machine_that_changes_evenly_shows_nothing(slower: float, rotation: int) -> None:
    """By the estimates of real runs, within half a per cent, both arms and plain against plain."""
    blocks = measured_in_turns(slowing(slower), prompts=PROMPTS, new_tokens=NEW_TOKENS, rotation=rotation)
    run = run_of(*_cells(blocks))
    for k in (1, 2):
        assert speedup(run, k=k).value == pytest.approx(1, abs=0.005)
    assert noise_floor(run).value == pytest.approx(1, abs=0.005)


# At a border of two blocks, at several points within a block, within a turn, near both ends.
JUMPS = (0.01, 0.25, 1 / 3, 0.41, 0.437, 0.5, 0.58, 0.583, 0.5885, 0.75, 0.99)


@pytest.mark.parametrize("rotation", range(len(RING)))
@pytest.mark.parametrize("at", JUMPS)
def test_in_turns_a_jump_is_within_two_per_cent(at: float, rotation: int) -> None:
    """Wherever it falls and whichever arm goes first."""
    blocks = measured_in_turns(jumping(FACTOR, at), prompts=PROMPTS, new_tokens=NEW_TOKENS, rotation=rotation)
    run = run_of(*_cells(blocks))
    for k in (1, 2):
        assert speedup(run, k=k).value == pytest.approx(1, abs=0.02)


def test_the_block_of_the_jump_is_called_disturbed_and_no_other() -> None:
    """The jump is in the middle of the fourth of six blocks."""
    blocks = measured_in_turns(jumping(FACTOR, 3.5 / 6), prompts=PROMPTS, new_tokens=NEW_TOKENS)
    assert [disturbance(arms, Surroundings()) is not None for arms in blocks] == [False] * 3 + [True] + [False] * 2


def test_one_after_the_other_the_drift_is_read_as_a_loss() -> None:
    """Plain has the first half of the drift and speculation the second: (1 + s/4) / (1 + 3s/4)."""
    read = slowing_unpaired(SLOWER, PROMPTS, NEW_TOKENS)
    assert read == pytest.approx((1 + SLOWER / 4) / (1 + 3 * SLOWER / 4), rel=1e-9)
    assert slowing_unpaired(-SLOWER, PROMPTS, NEW_TOKENS) > 1.02
    assert slowing_in_turns(SLOWER, PROMPTS, NEW_TOKENS) == pytest.approx(1, abs=0.005)


def test_one_after_the_other_a_jump_half_way_is_read_whole() -> None:
    """At other places the part of it that is told by hand: only one of the two ways is slowed, or part of it."""
    read = {each.at: each.unpaired for each in jumps(FACTOR, PROMPTS, NEW_TOKENS)}
    for at, found in read.items():
        plain, speculative = (_mean(at, half) for half in (0, 1))
        assert found == pytest.approx(plain / speculative, rel=0.01)
    assert jump_unpaired(FACTOR, PROMPTS, NEW_TOKENS) == pytest.approx(1 / FACTOR, rel=1e-9)


def _mean(at: float, half: int) -> float:
    """Time of a step in one half of a run that jumps at `at`, on the average."""
    slow = min(1.0, max(0.0, (half + 1) / 2 - at) * 2)
    return 1 + (FACTOR - 1) * slow


def test_the_worst_place_is_shown_and_not_a_good_one() -> None:
    """A border of two blocks reads exactly 1; what is shown is the farthest of all places between two turns."""
    found = {each.at: each for each in jumps(FACTOR, PROMPTS, NEW_TOKENS)}
    assert len(found) == PROMPTS * len(RING) * NEW_TOKENS // TOKENS_A_TURN - 1
    assert found[0.5].in_turns == pytest.approx(1, abs=1e-12)
    worst = jump_in_turns(FACTOR, PROMPTS, NEW_TOKENS)
    assert _off(worst) == pytest.approx(max(_off(each.in_turns) for each in found.values()))
    assert 0.98 < worst < 0.99
    assert _off(jump_in_block(FACTOR, PROMPTS, NEW_TOKENS)) == pytest.approx(PROMPTS * _off(worst))


@pytest.mark.parametrize("place", [1, 37, 100, 101, 150, 191])
def test_the_block_of_the_jump_alone_says_what_the_whole_run_says(place: int) -> None:
    """The others read 1, so they need not be simulated at every place."""
    jump = jumps(FACTOR, PROMPTS, NEW_TOKENS)[place - 1]
    assert max(_off(each) for each in _read(jump.at)) == pytest.approx(_off(jump.in_turns), abs=1e-12)


@pytest.mark.parametrize("step", [3, 190, 333, 401, 702])
def test_no_place_within_a_turn_is_worse(step: int) -> None:
    """What is read there lies between what is read at the ends of the turn."""
    worst = _off(jump_in_turns(FACTOR, PROMPTS, NEW_TOKENS))
    assert all(_off(each) <= worst + 1e-9 for each in _read(step / (PROMPTS * len(RING) * NEW_TOKENS)))


def _read(at: float) -> list[float]:
    """Speed-up of both arms over a whole run that jumps there."""
    blocks = measured_in_turns(jumping(FACTOR, at), prompts=PROMPTS, new_tokens=NEW_TOKENS)
    return [speedup(run_of(*_cells(blocks)), k=k).number() for k in (1, 2)]


def _off(reading: float) -> float:
    return abs(math.log(reading))


def test_the_clock_passes_by_steps_alone() -> None:
    """Each at the speed of its middle; waiting and looking take no time."""
    clock = DriftingClock(slowing(1.0), steps=2)
    start = clock.mark()
    clock.step()
    clock.synchronize()
    middle = clock.mark()
    clock.step()
    assert clock.between(start, middle) == STEP_NS * 1.25
    assert clock.between(middle, clock.mark()) == STEP_NS * 1.75
