"""When a block is disturbed: at the stated limits, and not just below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulated_machine import MS
from speclab.measure.disturbance import disturbance
from speclab.records.rows import ArmRow, IterationColumns, Turn

if TYPE_CHECKING:
    from speclab.records.rows import ArmName


def plain_arm(name: ArmName, steps: list[float], extra: float = 0.0) -> ArmRow:
    """A plain arm from its steps in milliseconds; `extra` falls between them, in the turns only."""
    n = len(steps)
    none = (0,) * n
    columns = IterationColumns(
        proposals=((),) * n,
        proposed=none,
        accepted=none,
        committed=(1,) * n,
        complete=(True,) * n,
        draft_ns=none,
        verify_ns=tuple(round(step * MS) for step in steps),
        accept_ns=none,
        rollback_ns=none,
        other_ns=none,
    )
    turn = Turn(turn=1, place=0, nanoseconds=round((sum(steps) + extra) * MS), committed=n)
    return ArmRow(arm=name, k=0, ids=(5,) * n, iterations=columns, turns=(turn,))


@pytest.mark.parametrize(("factor", "disturbed"), [(1.0, False), (1.029, False), (1.031, True), (0.96, True)])
def test_two_plain_arms_more_than_three_percent_apart(factor: float, disturbed: bool) -> None:
    """Either may be the slower one; the time that counts is that of the turns."""
    arms = [plain_arm("plain", [200.0] * 30), plain_arm("plain_again", [200.0] * 30, 6000 * (factor - 1))]
    reason = disturbance(arms)
    assert (reason is not None) == disturbed
    assert reason is None or "two plain arms differ" in reason


@pytest.mark.parametrize(("factor", "disturbed"), [(1.09, False), (1.11, True), (0.89, True)])
def test_steps_of_the_first_and_last_third_more_than_ten_percent_apart(
    factor: float,
    disturbed: bool,
) -> None:
    """A drift that both plain arms share is seen too, in either direction."""
    steps = [200.0] * 10 + [200.0 * (1 + factor) / 2] * 10 + [200.0 * factor] * 10
    reason = disturbance([plain_arm("plain", steps), plain_arm("plain_again", steps)])
    assert (reason is not None) == disturbed
    assert reason is None or "first and the last third" in reason


def test_one_slow_step_is_no_drift() -> None:
    """A single stall of both arms leaves the medians where they were."""
    steps = [200.0] * 29 + [900.0]
    assert disturbance([plain_arm("plain", steps), plain_arm("plain_again", steps)]) is None


def test_arms_with_proposals_say_nothing_about_the_machine() -> None:
    """A draft arm's time depends on the text, so it is not looked at."""
    other = plain_arm("plain", [500.0] * 4).model_copy(update={"arm": "draft", "k": 4})
    arms = [plain_arm("plain", [200.0] * 9), other, plain_arm("plain_again", [200.0] * 9)]
    assert disturbance(arms) is None


def test_a_block_of_two_tokens_can_be_judged() -> None:
    """A third is at least one step."""
    reason = disturbance([plain_arm("plain", [100.0, 200.0]), plain_arm("plain_again", [100.0, 200.0])])
    assert reason is not None
    assert "100.0%" in reason
