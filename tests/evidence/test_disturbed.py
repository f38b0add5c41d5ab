"""What the register says of disturbed blocks: every one, what became of it, and what could not be judged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from hand_rows import arm, block, cycle, run_of
from speclab.evidence.disturbed import disturbed, unjudged
from speclab.evidence.estimates.repeats import largest_repeat_change, unjudged_blocks
from speclab.records.plan import SamplingPlan

if TYPE_CHECKING:
    from speclab.records.rows import SpeedCell


def measured(one: int, two: int, *, attempt: int = 0, why: str | None = None, turn: int = 0) -> SpeedCell:
    """A block with the draft's decode times at k = 1 and 2, beside a plain of 100."""
    arms = (arm("draft", 1, one, (0, 1)), arm("draft", 2, two, (0, 1)))
    return block("prose-1", *arms, attempt=attempt, disturbed=why, turn=turn)


def test_a_block_that_was_repeated_shows_by_how_much() -> None:
    """The repeat's speed-up over the first one's, for each k, whichever way it went."""
    (found,) = disturbed(run_of(measured(50, 40, why="apart"), measured(40, 50, attempt=1)))
    assert (found.where, found.reason, found.repeated) == ("prose-1, round 0, greedy", "apart", True)
    assert found.changes == pytest.approx((50 / 40, 40 / 50))
    assert found.outcome == "repeated, the speed-ups came out 0.80 to 1.25 times as large; not disturbed again"


def test_a_repeat_that_is_disturbed_too_says_why() -> None:
    """It is no line of its own: it counts in its block's place."""
    (found,) = disturbed(run_of(measured(50, 50, why="apart"), measured(50, 50, attempt=1, why="cc1; steal")))
    assert found.outcome == "repeated, the speed-ups came out 1.00 times as large; disturbed again: cc1; steal"


def test_a_block_that_no_time_was_left_for_says_so() -> None:
    """Its own round's repeat is meant, and its own sampling's."""
    sampled = measured(40, 40, attempt=1).model_copy(update={"sampling": SamplingPlan(temperature=1.0)})
    (found,) = disturbed(run_of(measured(50, 50, why="apart", turn=1), measured(40, 40, attempt=1), sampled))
    assert (found.where, found.outcome) == ("prose-1, round 1, greedy", "not repeated")


def test_blocks_under_every_sampling_are_listed() -> None:
    """Not those of the plan's first alone."""
    sampled = measured(40, 40, why="steal").model_copy(update={"sampling": SamplingPlan(temperature=0.7)})
    assert [each.where for each in disturbed(run_of(measured(50, 50, why="cc1"), sampled))] == [
        "prose-1, round 0, greedy",
        "prose-1, round 0, t0.7",
    ]


def test_the_largest_change_is_that_of_the_estimate() -> None:
    """The list and the number on the pages are about the same blocks."""
    run = run_of(measured(50, 40, why="apart"), measured(40, 50, attempt=1))
    (found,) = disturbed(run)
    largest = max(abs(math.log(change)) for change in found.changes)
    assert largest_repeat_change(run).value == pytest.approx(math.exp(largest))


def test_disturbed_cycles_of_a_timing_are_listed() -> None:
    """They count all the same."""
    cycles = [cycle(number, {1: 5}, {1: 2}) for number in range(3)]
    cycles[1] = cycles[1].model_copy(update={"disturbed": "cc1"})
    (found,) = disturbed(run_of(*cycles))
    assert (found.where, found.reason, found.outcome) == ("timing, cycle 1", "cc1", "not repeated")


def test_what_could_not_be_judged_is_listed_by_its_reason() -> None:
    """Each block once, its repeat left out; a timing once, however many cycles it has."""
    short = {"unjudged": "8 steps"}
    cells = [measured(50, 50, why="cc1"), measured(50, 50, attempt=1), measured(50, 50, turn=1)]
    timed = [cycle(n, {1: 5}, {1: 2}).model_copy(update={"unjudged": "3 cycles"}) for n in range(3)]
    run = run_of(*timed, *(cell.model_copy(update=short) for cell in cells))
    assert unjudged(run) == {
        "3 cycles": ("timing",),
        "8 steps": ("prose-1, round 0, greedy", "prose-1, round 1, greedy"),
    }
    assert (unjudged_blocks(run).value, unjudged_blocks(run).n) == (2, 2)


def test_a_quiet_run_has_nothing_to_list() -> None:
    """No line, and no count."""
    run = run_of(measured(50, 50), cycle(0, {1: 5}, {1: 2}))
    assert disturbed(run) == ()
    assert unjudged(run) == {}
    assert unjudged_blocks(run).value == 0
