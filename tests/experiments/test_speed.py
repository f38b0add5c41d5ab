"""The speed experiment on a simulated machine: blocks, prefill, warm-up, repeats."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from lookouts import lookout, quiet
from simulated_machine import MS, SimulatedMachine, timed_pair
from small_session import SmallRun, prompt, small_plan
from speclab.decoding.generation import collect
from speclab.decoding.loop import plain
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from speclab.experiments.randomness import NO_RANDOMNESS
from speclab.experiments.speed import Speed
from speclab.measure.surroundings import Lookout
from speclab.records.plan import SamplingPlan
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.experiments.protocol import EncodedPrompt
    from speclab.measure.others import Used
    from speclab.records.rows import ArmRow

PROMPTS = (prompt("p-1", (1, 2, 3, 4, 5)), prompt("q-1", (9, 8, 7), "code"), prompt("r-1", (4,), "chat"))


def run(
    machine: SimulatedMachine | None = None,
    budget: Callable[[], float] = lambda: 3600.0,
    pair: dict[str, Any] | None = None,
    looking: Callable[[], Lookout] = quiet,
    **speed: Any,
) -> SmallRun:
    """All blocks of three prompts."""
    machine = machine or SimulatedMachine()
    plan = small_plan(speed={"new_tokens": 16, "ks": (1, 2, 4), **speed})
    return SmallRun(plan, timed_pair(machine, **(pair or {})), PROMPTS, budget).run(Speed(machine, looking))


def blocks(done: SmallRun) -> list[SpeedCell]:
    return [cell for cell in done.cells.values() if isinstance(cell, SpeedCell)]


def by_k(cell: SpeedCell, k: int) -> ArmRow:
    return next(arm for arm in cell.arms if arm.k == k)


def test_blocks_come_round_by_round_and_hold_every_arm_with_plain_twice() -> None:
    """Rounds lie apart in time; the arms of a block are plain, plain again, and one for each k."""
    done = run(rounds=2)
    assert done.measured == [f"speed.{name}.r{turn}.a0" for turn in (0, 1) for name in ("p-1", "q-1", "r-1")]
    for cell in blocks(done):
        assert sorted((arm.arm, arm.k) for arm in cell.arms) == [
            ("draft", 1),
            ("draft", 2),
            ("draft", 4),
            ("plain", 0),
            ("plain_again", 0),
        ]
        assert cell.disturbed is None


def test_each_prompt_and_round_starts_with_another_arm() -> None:
    """The arm that opens the first turn differs between the prompts of a round and the rounds of a prompt."""
    openers = {
        (cell.prompt, cell.round): next(
            (arm.arm, arm.k) for arm in cell.arms if arm.turns[0].place == 0 and arm.turns[0].turn == 1
        )
        for cell in blocks(run(rounds=2))
    }
    for name in ("p-1", "q-1", "r-1"):
        assert openers[name, 0] != openers[name, 1]
    for one, other in pairwise(("p-1", "q-1", "r-1")):
        assert openers[one, 0] != openers[other, 0]


def test_every_arm_commits_what_plain_decoding_commits() -> None:
    """Greedy arms on copies of one prefill equal a generation from nothing, for all its length (B01, B15)."""
    target, _ = timed_pair(SimulatedMachine())
    for cell, asked in zip(blocks(run()), PROMPTS, strict=True):
        alone = collect(plain(target.fork(), asked.ids, sampling=GREEDY, source=NO_RANDOMNESS, max_new_tokens=16))
        for arm in cell.arms:
            assert arm.ids == alone.ids
            assert sum(arm.iterations.committed) == len(arm.ids) == 16


def test_the_order_of_the_prompts_changes_nothing_of_what_is_generated() -> None:
    """No arm carries anything from one prompt to the next: the same iterations for each, in any order (B14)."""

    def log(prompts: tuple[EncodedPrompt, ...]) -> dict[tuple[str, str, int], object]:
        machine = SimulatedMachine()
        plan = small_plan(speed={"new_tokens": 16})
        cells = blocks(SmallRun(plan, timed_pair(machine), prompts).run(Speed(machine, quiet)))
        return {(cell.prompt, arm.arm, arm.k): (arm.ids, arm.iterations) for cell in cells for arm in cell.arms}

    assert log(PROMPTS) == log(PROMPTS[::-1])


def test_the_models_of_the_pair_are_left_empty() -> None:
    """All work happens on copies, so the next block starts from the same state (B15)."""
    machine = SimulatedMachine()
    models = timed_pair(machine)
    plan = small_plan(speed={"new_tokens": 8})
    SmallRun(plan, models, PROMPTS).run(Speed(machine, quiet))
    assert [model.length for model in models] == [0, 0]


def test_prefill_is_timed_once_a_model_and_apart_from_decoding() -> None:
    """Prefill times are those of the prompt but its last token; no turn contains them (B06)."""
    for cell, asked in zip(blocks(run()), PROMPTS, strict=True):
        fed = len(asked.ids) - 1
        expected = 1 + 0.02 * (fed - 1) if fed else 0.0
        assert cell.prefill_target_ns == pytest.approx(200 * MS * expected)
        assert cell.prefill_draft_ns == pytest.approx(75 * MS * expected)
        assert by_k(cell, 0).decode_ns == pytest.approx(16 * 200 * MS)


def test_every_shape_is_warmed_on_both_models_before_it_is_timed() -> None:
    """One row to k + 1 rows, and the prompt's own shape, come before the first timed pass (B06)."""
    machine = SimulatedMachine()
    target, draft = timed_pair(machine)
    plan = small_plan(speed={"new_tokens": 16})
    cell = SmallRun(plan, (target, draft), PROMPTS[:1]).run(Speed(machine, quiet)).cells["speed.p-1.r0.a0"]
    assert isinstance(cell, SpeedCell)
    for model in (target, draft):
        # Prefill untimed, prefill timed, then one pass of each shape, then decoding.
        assert model.fed[:7] == [4, 4, 1, 2, 3, 4, 5]
    assert cell.warm_up_passes == 10


def test_a_cold_first_pass_shows_only_without_the_warm_up() -> None:
    """A machine whose first pass of a shape takes ten times as long: no timed pass is one of them (B06)."""
    machine = SimulatedMachine()
    seen: set[tuple[str, int]] = set()
    target, draft = timed_pair(machine)

    def cold(name: str, warm: Callable[[int], float]) -> Callable[[int], float]:
        def cost(tokens: int) -> float:
            first = (name, tokens) not in seen
            seen.add((name, tokens))
            return warm(tokens) * (10 if first else 1)

        return cost

    target.cost, draft.cost = cold("target", target.cost), cold("draft", draft.cost)
    done = SmallRun(small_plan(speed={"new_tokens": 16}), (target, draft), PROMPTS[:1]).run(Speed(machine, quiet))
    (cell,) = blocks(done)
    assert cell.prefill_target_ns == pytest.approx(200 * MS * 1.06)
    assert max(max(arm.iterations.verify_ns) for arm in cell.arms) < 2 * 200 * MS
    assert cell.disturbed is None


def test_the_parts_of_the_iterations_are_the_turns() -> None:
    """What the iterations were timed at, part by part, adds up to the turns' own times."""
    for cell in blocks(run()):
        for arm in cell.arms:
            rows = arm.iterations
            parts = (rows.draft_ns, rows.verify_ns, rows.accept_ns, rows.rollback_ns, rows.other_ns)
            assert sum(map(sum, parts)) == arm.decode_ns
            assert sum(rows.proposed) == sum(len(each) for each in rows.proposals)


def shifting(now: float) -> float:
    """A machine a third slower from its 25th second on, in the midst of the second block."""
    return 1.0 if now < 25e9 else 1.33


def test_a_disturbed_block_is_repeated_once_after_all_first_attempts() -> None:
    """The repeat is attempt 1, starts alike, and counts whatever it shows."""
    done = run(SimulatedMachine(pace=shifting))
    assert done.measured == ["speed.p-1.r0.a0", "speed.q-1.r0.a0", "speed.r-1.r0.a0", "speed.q-1.r0.a1"]
    before, first, after, repeat = blocks(done)
    assert first.disturbed
    assert [each.disturbed for each in (before, after, repeat)] == [None, None, None]
    assert repeat.attempt == 1
    assert [arm.turns[0].place for arm in repeat.arms] == [arm.turns[0].place for arm in first.arms]
    assert any("disturbed" in line and "speed.q-1.r0.a0" in line for line in done.said)


def in_turn(*shares: dict[str, float], steal: tuple[float, ...] = ()) -> Callable[[], Lookout]:
    """Lookouts over what each block of a hundred seconds meets, one after the other; then quiet ones."""
    stolen = iter(steal)
    met = iter(shares)
    return lambda: lookout(next(met, {}), steal=next(stolen, 0.0))


def test_a_block_beside_another_program_is_repeated() -> None:
    """The arms ran alike, and yet it does not count; what was seen stands in the rows of every block."""
    done = run(looking=in_turn({"sshd": 0.06}, {"cc1": 1.2, "sshd": 0.06}))
    assert done.measured == ["speed.p-1.r0.a0", "speed.q-1.r0.a0", "speed.r-1.r0.a0", "speed.q-1.r0.a1"]
    seen = [{each.name for each in cell.surroundings.others.value or ()} for cell in blocks(done)]
    assert seen == [{"sshd"}, {"cc1", "sshd"}, set(), set()]
    first, repeat = blocks(done)[1], blocks(done)[3]
    assert first.disturbed == "other programs took 25% of one core or more: cc1 120%"
    assert repeat.disturbed is None
    assert any("speed.q-1.r0.a0 is disturbed: other programs" in line for line in done.said)


def test_a_block_whose_time_went_to_other_guests_is_repeated() -> None:
    """A share of the cores' time, not of the block's."""
    done = run(looking=in_turn(steal=(9.0, 10.0)))  # of two cores in a hundred seconds: 4.5 % and 5 %
    assert done.measured[3:] == ["speed.q-1.r0.a1"]
    assert [cell.surroundings.steal.value for cell in blocks(done)] == pytest.approx([0.045, 0.05, 0.0, 0.0])


def test_the_looks_lie_outside_the_turns() -> None:
    """After the warm-up, and again when every arm has ended: no pass is between a look and the turns."""
    machine = SimulatedMachine()
    looks: list[int] = []

    def look() -> dict[int, Used]:
        looks.append(machine.passes)
        machine.host += round(1e9)
        machine.device += round(1e9)
        return {}

    (cell,) = blocks(
        SmallRun(small_plan(speed={"new_tokens": 16}), timed_pair(machine), PROMPTS[:1]).run(
            Speed(machine, lambda: Lookout(look=look))
        )
    )
    before, after = looks
    # Two prefills of either model, then five shapes of either.
    assert before == 4 + cell.warm_up_passes
    assert after == machine.passes
    assert by_k(cell, 0).decode_ns == pytest.approx(16 * 200 * MS)


def test_a_short_block_says_that_a_drift_would_not_show_and_is_not_repeated() -> None:
    """A repeat would be as short."""
    done = run(new_tokens=8)
    assert len(done.measured) == 3
    assert {cell.unjudged for cell in blocks(done)} == {"plain took 8 steps, and a drift shows from 12 on"}
    assert {cell.unjudged for cell in blocks(run())} == {None}


def test_a_repeat_that_is_disturbed_too_is_not_repeated_again() -> None:
    """A machine that never settles gives two attempts a block and no more."""
    done = run(SimulatedMachine(pace=lambda now: 1 + now / 40e9))
    assert len(done.measured) == 6
    assert all(cell.disturbed for cell in blocks(done)[:3])
    assert {cell.attempt for cell in blocks(done)} == {0, 1}


def test_without_budget_a_disturbed_block_stays_marked() -> None:
    """Blocks are repeated only while the budget lasts; one that is left says so."""
    done = run(SimulatedMachine(pace=shifting), budget=lambda: 10.0)
    assert len(done.measured) == 3
    assert blocks(done)[1].disturbed
    assert any("no time is left" in line for line in done.said)


def test_a_resumed_run_measures_what_is_missing_and_nothing_twice() -> None:
    """Stopped after any number of cells, the rest follows in the same order, the repeat included."""
    whole = run(SimulatedMachine(pace=shifting)).measured
    for stopped in range(len(whole)):
        machine = SimulatedMachine(pace=shifting)
        plan = small_plan(speed={"new_tokens": 16})
        started = SmallRun(plan, timed_pair(machine), PROMPTS).run(Speed(machine, quiet), most=stopped)
        assert started.run(Speed(machine, quiet)).measured == whole


def test_a_prompt_that_leaves_no_room_is_refused_before_anything_is_measured() -> None:
    """The message names the prompt, both counts and the context."""
    with pytest.raises(InputError, match=r"prompt p-1 holds 5 tokens, and 16 new ones .* context of 20"):
        run(pair={"context": 20})
    assert len(blocks(run(pair={"context": 21}))) == 3


def test_a_draft_whose_context_is_full_stops_proposing() -> None:
    """Prompt and output outgrow the draft's context: the arms still commit the target's tokens."""
    for context in (4, 5, 9):
        cell = blocks(run(pair={"draft_context": context}))[0]
        assert {arm.ids for arm in cell.arms} == {by_k(cell, 0).ids}
        assert by_k(cell, 2).iterations.proposed[-2] == 0


def test_a_slow_draft_loses_and_a_good_one_wins() -> None:
    """The times mean what they say: a draft at twice the target's step makes every arm slower than plain."""
    slow = blocks(run(pair={"draft_ms": 400.0}))[0]
    good = blocks(run(pair={"draft_ms": 20.0, "noise": 0.0}))[0]
    assert all(arm.decode_ns > by_k(slow, 0).decode_ns for arm in slow.arms if arm.k)
    assert all(arm.decode_ns < by_k(good, 0).decode_ns for arm in good.arms if arm.k)
    assert by_k(good, 4).iterations.accepted[:2] == (4, 4)


def test_each_sampling_is_a_block_of_its_own() -> None:
    """Its two plain arms draw alike and do the same work; the greedy block is what it is without the others."""
    samplings = (SamplingPlan(), SamplingPlan(temperature=2.0), SamplingPlan(temperature=1.0, top_k=3))
    done = run(samplings=samplings)
    assert [cell.key for cell in blocks(done)][:3] == [
        "speed.p-1.r0.a0",
        "speed.p-1.r0.a0.t2",
        "speed.p-1.r0.a0.t1-k3",
    ]
    alone = {cell.prompt: cell for cell in blocks(run())}
    for cell in blocks(done):
        ids = {arm.arm: arm.ids for arm in cell.arms if arm.k in {0, 4}}
        assert ids["plain"] == ids["plain_again"]
        if not cell.sampling.temperature:
            assert [arm.ids for arm in cell.arms] == [arm.ids for arm in alone[cell.prompt].arms]
        if cell.sampling.name == "t2":
            assert ids["plain"] != ids["draft"]  # equal in law, not in tokens
            assert ids["plain"] != next(arm.ids for arm in alone[cell.prompt].arms)


def test_sampled_arms_can_be_made_again() -> None:
    """The numbers hang on prompt, round, sampling and k alone."""
    outputs = [
        [arm.ids for cell in blocks(run(samplings=(SamplingPlan(temperature=1.5),))) for arm in cell.arms]
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    rounds = {
        cell.round: cell.arms[0].ids for cell in blocks(run(rounds=2, samplings=(SamplingPlan(temperature=2.0),)))
    }
    assert rounds[0] != rounds[1]
