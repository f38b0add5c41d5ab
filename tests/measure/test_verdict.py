"""When other programs disturbed so many blocks that the program discards the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hand_rows import block, cycle
from lookouts import lookout
from speclab.measure.verdict import crowded_out
from speclab.records.plan import SamplingPlan

if TYPE_CHECKING:
    from speclab.records.rows import SpeedCell

BUSY, CALM = lookout({"cc1": 0.9, "ld": 0.3, "sshd": 0.1}).since(), lookout({"cc1": 0.24}).since()


def measured(number: int, *, busy: bool, attempt: int = 0) -> SpeedCell:
    """The block of a prompt."""
    cell = block(f"prose-{number}", attempt=attempt, disturbed="something" if busy else None)
    return cell.model_copy(update={"surroundings": BUSY if busy else CALM})


@pytest.mark.parametrize(("busy", "discarded"), [(0, False), (2, False), (3, True), (4, True)])
def test_more_than_half_of_the_blocks(busy: int, discarded: bool) -> None:
    """Half is not more than half; the heavy programs are named, lighter ones are not."""
    found = crowded_out([measured(number, busy=number < busy) for number in range(4)])
    assert (found is not None) == discarded
    assert found is None or found == (
        f"{busy} of the 4 blocks that count, more than half, were disturbed by cc1, ld"
    )


def test_a_repeat_counts_in_the_place_of_its_block() -> None:
    """A block that came out quiet the second time speaks for the run, one that did not speaks against it."""
    first = [measured(number, busy=True) for number in range(2)]
    assert crowded_out([*first, *(measured(number, busy=False, attempt=1) for number in range(2))]) is None
    again = [measured(number, busy=True, attempt=1) for number in range(2)]
    assert crowded_out([*again, *(measured(number, busy=False) for number in range(2))]) is not None


def test_each_round_and_sampling_is_a_block_of_its_own() -> None:
    """Two quiet ones beside three busy ones of the same prompt do not save the run."""
    one = measured(1, busy=True)
    rounds = [one.model_copy(update={"round": turn}) for turn in range(2)]
    sampled = one.model_copy(update={"sampling": SamplingPlan(temperature=1.0)})
    assert "3 of the 5" in str(crowded_out([*rounds, sampled, *(measured(n, busy=False) for n in (2, 3))]))


def test_steal_discards_no_run() -> None:
    """Nobody on this machine could have stopped it."""
    stolen = lookout(steal=150.0).since()
    assert crowded_out([block("prose-1", disturbed="steal").model_copy(update={"surroundings": stolen})]) is None


def test_a_run_without_blocks_or_without_looks_is_not_discarded() -> None:
    """Cycles of a timing are no blocks, and old rows were not watched."""
    timed = cycle(0, {1: 5}, {1: 2}).model_copy(update={"surroundings": BUSY, "disturbed": "cc1"})
    assert crowded_out([]) is None
    assert crowded_out([timed]) is None
    assert crowded_out([block("prose-1", disturbed="apart")]) is None
