"""When a block is disturbed or too short to tell: at the stated limits, and not just beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulated_machine import MS
from speclab.measure.disturbance import disturbance, heavy, interference, too_few_cycles, too_few_steps
from speclab.records.base import Reading
from speclab.records.machine import OtherProcess, Surroundings
from speclab.records.rows import ArmRow, IterationColumns, Turn

if TYPE_CHECKING:
    from speclab.records.rows import ArmName


UNKNOWN = Surroundings()


def around(steal: float = 0.0, **shares: float) -> Surroundings:
    """These programs at these shares of a core, and this share of all cores given to other guests."""
    others = tuple(OtherProcess(name=name, share=share) for name, share in shares.items())
    return Surroundings(others=Reading[tuple[OtherProcess, ...]](value=others), steal=Reading[float](value=steal))


def plain_arms(steps: int) -> list[ArmRow]:
    """Both, with nothing the matter."""
    return [plain_arm("plain", [200.0] * steps), plain_arm("plain_again", [200.0] * steps)]


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
    reason = disturbance(arms, UNKNOWN)
    assert (reason is not None) == disturbed
    assert reason is None or "two plain arms differ" in reason


@pytest.mark.parametrize(("factor", "disturbed"), [(1.09, False), (1.11, True), (0.89, True)])
def test_steps_of_the_first_and_last_third_more_than_ten_percent_apart(
    factor: float,
    disturbed: bool,
) -> None:
    """A drift that both plain arms share is seen too, in either direction."""
    steps = [200.0] * 10 + [200.0 * (1 + factor) / 2] * 10 + [200.0 * factor] * 10
    reason = disturbance([plain_arm("plain", steps), plain_arm("plain_again", steps)], UNKNOWN)
    assert (reason is not None) == disturbed
    assert reason is None or "first and the last third" in reason


def test_one_slow_step_is_no_drift() -> None:
    """A single stall of both arms leaves the medians where they were."""
    steps = [200.0] * 29 + [900.0]
    assert disturbance([plain_arm("plain", steps), plain_arm("plain_again", steps)], UNKNOWN) is None


def test_arms_with_proposals_say_nothing_about_the_machine() -> None:
    """A draft arm's time depends on the text, so it is not looked at."""
    other = plain_arm("plain", [500.0] * 4).model_copy(update={"arm": "draft", "k": 4})
    arms = [plain_arm("plain", [200.0] * 12), other, plain_arm("plain_again", [200.0] * 12)]
    assert disturbance(arms, UNKNOWN) is None
    assert too_few_steps(arms) is None


@pytest.mark.parametrize(("steps", "enough"), [(2, False), (11, False), (12, True)])
def test_a_drift_is_looked_for_from_twelve_steps_on(steps: int, enough: bool) -> None:
    """A shorter block that doubles its steps is no disturbed one, but one that says it cannot tell."""
    times = [100.0 + 100.0 * step / steps for step in range(steps)]
    arms = [plain_arm("plain", times), plain_arm("plain_again", times)]
    reason, few = disturbance(arms, UNKNOWN), too_few_steps(arms)
    assert (reason is not None) == (few is None) == enough
    assert few is None or few.startswith(f"plain took {steps} steps")


def test_a_short_block_is_still_disturbed_by_what_needs_no_steps() -> None:
    """Two arms far apart, or another program, show themselves at any length."""
    apart = [plain_arm("plain", [200.0] * 2), plain_arm("plain_again", [200.0] * 2, 100)]
    assert disturbance(apart, UNKNOWN) is not None
    assert disturbance(plain_arms(2), around(pytest=0.9)) is not None


@pytest.mark.parametrize(("share", "disturbed"), [(0.24, False), (0.25, True), (1.8, True)])
def test_another_program_from_a_quarter_of_a_core_on(share: float, disturbed: bool) -> None:
    """It is named with its share; lighter ones beside it are not."""
    found = around(make=share, sshd=0.1)
    reason = disturbance(plain_arms(30), found)
    assert (reason is not None) == disturbed
    assert [each.name for each in heavy(found)] == ["make"] * disturbed
    assert reason is None or reason.endswith(f"make {share:.0%}")


@pytest.mark.parametrize(("steal", "disturbed"), [(0.049, False), (0.05, True)])
def test_time_given_to_other_guests_from_a_twentieth_on(steal: float, disturbed: bool) -> None:
    """Of all cores together."""
    reason = disturbance(plain_arms(30), around(steal))
    assert (reason is not None) == disturbed
    assert reason is None or "5.0% of the cores' time" in reason


def test_what_the_system_does_not_tell_disturbs_nothing() -> None:
    """A reading without a value is no sign of quiet, nor one of noise."""
    assert disturbance(plain_arms(30), UNKNOWN) is None
    assert interference(UNKNOWN) is None


def test_every_cause_is_named() -> None:
    """The block's own first, then what came from outside, joined by semicolons."""
    steps = [200.0] * 10 + [230.0] * 20
    arms = [plain_arm("plain", steps), plain_arm("plain_again", steps, 1000.0)]
    found = around(0.2, cc1=0.9)
    reason = disturbance(arms, found)
    assert reason is not None
    causes = reason.split("; ")
    signs = ("two plain arms", "last third", "cc1 90%", "20.0%")
    assert len(causes) == 4
    assert all(sign in cause for sign, cause in zip(signs, causes, strict=True))
    assert interference(found) == "; ".join(causes[2:])


@pytest.mark.parametrize(("cycles", "enough"), [(1, False), (4, False), (5, True)])
def test_a_timing_of_fewer_than_five_cycles_says_so(cycles: int, enough: bool) -> None:
    """With the count."""
    few = too_few_cycles(cycles)
    assert (few is None) == enough
    assert few is None or few.startswith(f"it has {cycles} cycles")
