"""The timing experiment on a simulated machine: cycles, rotation, what a pass is."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from lookouts import lookout, quiet
from simulated_machine import MS, SimulatedMachine, timed_pair
from small_session import SmallRun, prompt, small_plan
from speclab.errors import InputError
from speclab.experiments.timing import Timing
from speclab.records.rows import TimingCell

if TYPE_CHECKING:
    from speclab.records.rows import ModelRole

LENGTHS = (1, 2, 5, 9)
PROMPTS = (prompt("p-1", (1, 2, 3, 4, 5)), prompt("q-1", (9, 8, 7)))


def run(machine: SimulatedMachine, models: Any = None, **timing: Any) -> list[TimingCell]:
    plan = small_plan(timing={"lengths": LENGTHS, "cycles": 8, "context_tokens": 12, **timing})
    done = SmallRun(plan, models or timed_pair(machine), PROMPTS).run(Timing(machine, quiet))
    return [cell for cell in done.cells.values() if isinstance(cell, TimingCell)]


def times(cells: list[TimingCell], model: ModelRole, tokens: int) -> list[int]:
    return [
        each.nanoseconds for cell in cells for each in cell.passes if (each.model, each.tokens) == (model, tokens)
    ]


def test_a_cycle_visits_every_length_of_both_models_once_and_the_next_starts_one_later() -> None:
    """Over as many cycles as visits, each visit stands at each place once."""
    cells = run(SimulatedMachine())
    visits = [(each.model, each.tokens) for each in cells[0].passes]
    assert sorted(visits) == sorted((model, n) for model in ("target", "draft") for n in LENGTHS)
    for number, cell in enumerate(cells):
        assert [each.place for each in cell.passes] == list(range(8))
        assert [(each.model, each.tokens) for each in cell.passes] == visits[number:] + visits[:number]


def test_a_pass_is_timed_without_its_rollback_and_after_the_stated_context() -> None:
    """Every pass starts from the same cache and takes what its tokens cost."""
    machine = SimulatedMachine()
    models = timed_pair(machine)
    cells = run(machine, models)
    for n in LENGTHS:
        assert times(cells, "target", n) == [pytest.approx(200 * MS * (1 + 0.02 * (n - 1)))] * 8
        assert times(cells, "draft", n) == [pytest.approx(75 * MS * (1 + 0.02 * (n - 1)))] * 8
    assert [model.length for model in models] == [0, 0]
    # Prefill twice, then every length untimed, then eight cycles.
    assert models[0].fed[:6] == [12, 12, *LENGTHS]
    assert sorted(models[0].fed[6:]) == sorted(LENGTHS * 8)
    assert {cell.warm_up_passes for cell in cells} == {8}


def test_two_synchronisations_a_pass_however_long_it_is() -> None:
    """The device is waited for at both ends of a pass, so queued work is in its time (B10)."""
    machine = SimulatedMachine(waits=False)
    cells = run(machine)
    assert machine.synchronisations == 2 * (2 + 8 * 8)  # one timed prefill a model, then eight passes a cycle
    assert times(cells, "target", 9) == [pytest.approx(200 * MS * 1.16, rel=1e-3)] * 8


def test_rotation_meets_a_change_of_speed_alike_for_all_lengths() -> None:
    """A machine that slows by a fifth within the run leaves the ratios where they were, to 2 %."""
    machine = SimulatedMachine(pace=lambda now: 1 + 0.2 * now / 20e9)
    cells = run(machine, cycles=16)
    ratio = median(times(cells, "draft", 1)) / median(times(cells, "target", 1))
    assert ratio == pytest.approx(75 / 200, rel=0.02)
    assert times(cells, "target", 1)[-1] > 1.1 * times(cells, "target", 1)[0]


def test_a_resumed_run_prepares_once_more_and_measures_only_what_is_missing() -> None:
    """The cells that are there are not measured again; with none missing nothing is fed at all."""
    machine = SimulatedMachine()
    models = timed_pair(machine)
    plan = small_plan(timing={"lengths": LENGTHS, "cycles": 4, "context_tokens": 12})
    started = SmallRun(plan, models, PROMPTS).run(Timing(machine, quiet), most=3)
    assert started.run(Timing(machine, quiet)).measured == [f"timing.r{n}" for n in range(4)]
    fed = len(models[0].fed)
    started.run(Timing(machine, quiet))
    assert len(models[0].fed) == fed


def test_what_else_used_the_machine_stands_in_each_cycle() -> None:
    """A disturbed cycle is marked and counts all the same; nothing is measured once more."""
    machine = SimulatedMachine()
    plan = small_plan(timing={"lengths": LENGTHS, "cycles": 5, "context_tokens": 12})
    met = iter([{}, {"cc1": 0.5}, {"sshd": 0.1}])
    done = SmallRun(plan, timed_pair(machine), PROMPTS).run(Timing(machine, lambda: lookout(next(met, {}))))
    cells = [cell for cell in done.cells.values() if isinstance(cell, TimingCell)]
    assert [cell.disturbed for cell in cells] == [
        None,
        "other programs took 25% of one core or more: cc1 50%",
        None,
        None,
        None,
    ]
    assert [len(cell.surroundings.others.value or ()) for cell in cells] == [0, 1, 1, 0, 0]
    assert {cell.unjudged for cell in cells} == {None}


def test_a_timing_of_few_cycles_says_so_in_each_of_them() -> None:
    """Its medians may be those of disturbed cycles."""
    assert all("it has 4 cycles" in str(cell.unjudged) for cell in run(SimulatedMachine(), cycles=4))


def test_a_context_that_is_too_short_is_refused_by_name() -> None:
    """Which model, how much is needed, how much there is."""
    machine = SimulatedMachine()
    with pytest.raises(InputError, match=r"needs 21 positions .* the draft's context holds 20"):
        run(machine, timed_pair(machine, draft_context=20))
    assert len(run(machine, timed_pair(machine, draft_context=21))) == 8
