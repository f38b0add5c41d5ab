"""What else used the machine between two looks: other programs, and the host's other guests."""

from __future__ import annotations

import time

import pytest

from lookouts import lookout
from speclab.measure.others import Used
from speclab.measure.surroundings import LEAST_SECONDS, Lookout
from speclab.records.base import Reading

NO_STEAL = Reading[float](value=0.0)


def between(before: dict[int, Used], after: dict[int, Used], seconds: float = 10.0) -> dict[str, float]:
    """Shares of one core by program, where these two looks lie so far apart."""
    looks, clock = iter((before, after)), iter((3.0, 3.0 + seconds))
    watched = Lookout(look=lambda: next(looks), steal=lambda: NO_STEAL, clock=lambda: next(clock))
    found = watched.since().others.value
    assert found is not None
    return {each.name: round(each.share, 9) for each in found}


def test_a_program_s_share_is_what_it_used_in_between() -> None:
    """What it had used before does not count; heaviest first."""
    before = {1: Used("old", 5000.0), 2: Used("make", 1.0)}
    after = {1: Used("old", 5001.0), 2: Used("make", 8.0)}
    assert between(before, after) == {"make": 0.7, "old": 0.1}
    assert list(between(before, after)) == ["make", "old"]


def test_a_program_that_began_meanwhile_counts_whole() -> None:
    """A compilation seldom waits for the first look; an id that was taken over is a new process."""
    assert between({1: Used("shell", 900.0)}, {1: Used("cc1", 4.0), 7: Used("cc1", 3.0)}) == {"cc1": 0.7}


def test_the_processes_of_one_program_count_together() -> None:
    """Twenty that are light alone are a heavy program."""
    before = {n: Used("worker", 1.0) for n in range(20)}
    assert between(before, {n: Used("worker", 1.3) for n in range(20)}) == {"worker": 0.6}


def test_light_programs_are_left_out_and_five_are_named_at_most() -> None:
    """The record is published: no list of whatever runs there."""
    names = [f"p{n}" for n in range(10)]
    shares = between({}, {n: Used(name, 0.2 * n) for n, name in enumerate(names)})
    assert list(shares) == ["p9", "p8", "p7", "p6", "p5"]
    assert list(between({}, {n: Used(name, 0.2 * n) for n, name in enumerate(names[:5])})) == ["p4", "p3"]


def test_a_quiet_machine_is_known_to_be_quiet() -> None:
    """An empty list is a finding, and not the same as no reading."""
    found = lookout().since()
    assert (found.others.value, found.steal.value) == ((), 0.0)


def test_steal_is_a_share_of_all_cores_time() -> None:
    """Ten seconds of two cores, of which two went to other guests."""
    assert lookout(steal=2.0, seconds=10.0).since().steal.value == pytest.approx(0.1)


def test_a_system_that_does_not_tell_steal_says_so() -> None:
    """The reason stands where the share would."""
    clock = iter((0.0, 10.0))
    watched = Lookout(look=dict, steal=lambda: Reading[float](reason="not here"), clock=lambda: next(clock))
    assert watched.since().steal.reason == "not here"


def test_less_than_a_quarter_of_a_second_tells_nothing() -> None:
    """A single count of ten milliseconds would be a third of a core there."""
    short = lookout({"pytest": 1.0}, steal=0.1, seconds=LEAST_SECONDS * 0.99).since()
    assert short.others.value is None
    assert short.steal.value is None
    assert "too short to tell" in str(short.others.reason)
    assert lookout({"pytest": 1.0}, seconds=LEAST_SECONDS).since().others.value


def test_nothing_happens_between_the_looks() -> None:
    """One look when it is made, one when it is asked: none while something is timed."""
    looks: list[float] = []

    def look() -> dict[int, Used]:
        looks.append(time.monotonic())
        return {}

    watched = Lookout(look=look)
    assert len(looks) == 1
    watched.since()
    assert len(looks) == 2


def test_the_real_machine_can_be_looked_at() -> None:
    """Whatever runs here, the two looks fit each other."""
    clock = iter((0.0, 1000.0))
    found = Lookout(clock=lambda: next(clock)).since()
    assert found.others.value == ()  # nobody used fifty seconds of a core since the line above
