"""Arms in turns: who runs when, what is timed, and what a drifting machine does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulated_machine import MS, SimulatedMachine, timed_pair
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.experiments.randomness import NO_RANDOMNESS
from speclab.measure.prefilled import prefilled
from speclab.measure.turns import TOKENS_A_TURN, Arm, in_turns

if TYPE_CHECKING:
    from speclab.records.rows import ArmName, ArmRow

PROMPT = (1, 2, 3)


def arms(machine: SimulatedMachine, ks: tuple[int, ...], new_tokens: int) -> list[Arm]:
    """Plain where k is 0 (the second one is the repeat), a draft elsewhere."""
    target, draft = (prefilled(model, PROMPT, machine)[0] for model in timed_pair(machine))
    machine.synchronisations = machine.passes = 0
    made: list[Arm] = []
    for k in ks:
        name: ArmName = "draft" if k else "plain_again" if any(arm.k == 0 for arm in made) else "plain"
        steps = speculative(
            target.fork(),
            DraftModel(draft.fork()) if k else None,
            PROMPT,
            k=k,
            sampling=GREEDY,
            source=NO_RANDOMNESS,
            max_new_tokens=new_tokens,
            clock=machine,
        )
        made.append(Arm(name, k, steps))
    return made


def measured(
    machine: SimulatedMachine, ks: tuple[int, ...], new_tokens: int, first: int = 0
) -> tuple[ArmRow, ...]:
    return in_turns(arms(machine, ks, new_tokens), new_tokens=new_tokens, first=first, clock=machine)


def test_every_turn_ends_at_four_more_tokens_and_an_arm_already_there_waits() -> None:
    """After turn t an arm holds at least 4 t tokens, one iteration more at most; it has no needless turn."""
    for row in measured(SimulatedMachine(), (0, 1, 8, 0), 30):
        held = 0
        for turn in row.turns:
            assert held < min(TOKENS_A_TURN * turn.turn, 30)
            held += turn.committed
            assert min(TOKENS_A_TURN * turn.turn, 30) <= held < TOKENS_A_TURN * turn.turn + row.k + 1
        assert held == len(row.ids) == 30
        assert sum(row.iterations.committed) == 30


def test_an_arm_with_long_iterations_skips_turns() -> None:
    """The wait is real: k = 8 that keeps all commits nine tokens and sits out the second turn."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine)
    steps = speculative(
        target.fork(),
        DraftModel(target.fork()),
        PROMPT,
        k=8,
        sampling=GREEDY,
        source=NO_RANDOMNESS,
        max_new_tokens=18,
        clock=machine,
    )
    (row,) = in_turns([Arm("draft", 8, steps)], new_tokens=18, first=0, clock=machine)
    assert [(turn.turn, turn.committed) for turn in row.turns] == [(1, 9), (3, 9)]


def test_the_order_rotates_with_every_turn_and_starts_where_it_is_told() -> None:
    """Each arm opens every n-th turn; another start shifts everything by one."""
    for first in range(3):
        rows = measured(SimulatedMachine(), (0, 0, 0), 24, first=first)
        for index, row in enumerate(rows):
            assert [turn.place for turn in row.turns] == [(index - first - t) % 3 for t in range(6)]


def test_the_arms_run_in_the_order_of_their_places() -> None:
    """Place is not only written down: the passes really alternate."""
    order: list[str] = []
    machine = SimulatedMachine()
    target, _ = timed_pair(machine)

    def watched(name: str):  # type: ignore[no-untyped-def]
        steps = plain(
            target.fork(), PROMPT, sampling=GREEDY, source=NO_RANDOMNESS, max_new_tokens=8, clock=machine
        )
        for step in steps:
            order.append(name)
            yield step

    in_turns(
        [Arm("plain", 0, watched("a")), Arm("plain_again", 0, watched("b"))], new_tokens=8, first=1, clock=machine
    )
    assert order == list("bbbbaaaaaaaabbbb")


def test_the_device_is_waited_for_at_both_ends_of_a_turn_only() -> None:
    """Two synchronisations a turn, however many tokens and passes fall into it (B10)."""
    for ks in ((0, 0), (0, 8), (4, 4, 4)):
        machine = SimulatedMachine()
        rows = measured(machine, ks, 40)
        assert machine.synchronisations == 2 * sum(len(row.turns) for row in rows)
        assert machine.synchronisations < machine.passes


def test_work_that_is_still_queued_when_the_calls_return_is_timed() -> None:
    """On a device that nobody waits for, a turn still takes as long as its passes (B10)."""
    machine = SimulatedMachine(waits=False)
    (row,) = measured(machine, (0,), 12)
    assert row.decode_ns == pytest.approx(12 * 200 * MS, rel=0.001)
    assert sum(row.iterations.verify_ns) < 1 * MS  # what the host alone would have seen


def test_an_arm_that_ends_early_is_no_arm() -> None:
    """Arms are compared over the same number of tokens; which one stopped is said."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine, context=len(PROMPT) + 6)
    steps = plain(target, PROMPT, sampling=GREEDY, source=NO_RANDOMNESS, max_new_tokens=10, clock=machine)
    with pytest.raises(ValueError, match="arm plain at k = 0 ended after 6 tokens"):
        in_turns([Arm("plain", 0, steps)], new_tokens=10, first=0, clock=machine)


def drifting(now: float) -> float:
    """A machine that has slowed by 5 % after 26 seconds, steadily: twice 64 steps of 200 ms."""
    return 1 + 0.05 * now / (2 * 64 * 200 * MS)


def test_two_identical_arms_in_turns_read_as_one_under_a_drift() -> None:
    """In turns the drift cancels to half a percent; one after the other it reads as a gain that is not there."""
    first, again = measured(SimulatedMachine(pace=drifting), (0, 0), 64)
    assert again.decode_ns / first.decode_ns == pytest.approx(1.0, abs=0.005)

    machine = SimulatedMachine(pace=drifting)
    alone = [in_turns([arm], new_tokens=64, first=0, clock=machine)[0] for arm in arms(machine, (0, 0), 64)]
    assert alone[1].decode_ns / alone[0].decode_ns > 1.02
