"""What a run will take, against what it then does on a simulated machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulated_machine import SimulatedMachine, timed_pair
from small_session import SmallRun, prompt, small_plan
from speclab.errors import InputError
from speclab.experiments.distribution import Distribution
from speclab.experiments.divergence import Divergence
from speclab.experiments.estimate import Estimate, Passes, expected_cells, from_passes, minutes, probe
from speclab.experiments.speed import Speed
from speclab.experiments.timing import Timing
from speclab.experiments.watch import TimeLeft

if TYPE_CHECKING:
    from speclab.experiments.protocol import Experiment
    from speclab.records.plan import Plan

PROMPTS = [
    prompt(f"{kind}-{number}", tuple(range(1, 20)), kind) for number in (1, 2, 3) for kind in ("prose", "code")
]


def plan(**changes: Any) -> Plan:
    return small_plan(
        speed={"ks": (1, 2, 4), "rounds": 2, "new_tokens": 32},
        timing={"cycles": 4, "context_tokens": 20},
        distribution={"contexts_per_kind": 2, "seeds": 3, "draws": 500, "cells": 5},
        **changes,
    )


def measured(machine: SimulatedMachine, experiment: Experiment) -> tuple[int, float]:
    """Cells and simulated seconds of an experiment."""
    run = SmallRun(plan(), timed_pair(machine, noise=0.6), PROMPTS)
    if experiment.name == "divergence":
        run.run(Speed(machine))
    cells, before = len(run.cells), machine.host
    run.run(experiment)
    return len(run.cells) - cells, (machine.host - before) / 1e9


@pytest.mark.parametrize("name", ["timing", "speed", "distribution", "divergence"])
def test_cells_are_counted_as_they_come(name: str) -> None:
    """The number of cells that an undisturbed run has, so that the progress ends at its end."""
    machine = SimulatedMachine()
    experiments: dict[str, Experiment] = {
        "timing": Timing(machine),
        "speed": Speed(machine),
        "distribution": Distribution(),
        "divergence": Divergence(),
    }
    assert measured(machine, experiments[name])[0] == expected_cells(plan(), PROMPTS)[name]


@pytest.mark.parametrize("name", ["timing", "speed"])
def test_time_from_two_passes_is_what_the_run_takes(name: str) -> None:
    """The bulk of a run, within a sixth; the draft's luck is guessed."""
    machine = SimulatedMachine()
    target, draft = timed_pair(machine)
    passes = [probe(model, PROMPTS[0].ids, 33, lambda: machine.host / 1e9) for model in (target, draft)]
    seconds = from_passes(plan(), PROMPTS, *passes).seconds[name]
    experiment: Experiment = Timing(machine) if name == "timing" else Speed(machine)
    assert measured(machine, experiment)[1] == pytest.approx(seconds, rel=1 / 6)


def test_time_of_the_search_grows_with_the_texts() -> None:
    """A pass of each model over each, both laws at every position, and the draws; nothing without that part."""
    passes = Passes(1.0, 2.0, 2), Passes(0.5, 1.0, 2)
    without = plan().model_copy(update={"disagreement": None})
    assert from_passes(without, PROMPTS, *passes).seconds["disagreement"] == 0
    found = from_passes(plan(), PROMPTS, *passes)
    texts = [len(each.ids) + plan().speed.new_tokens for each in PROMPTS]
    assert found.cells["disagreement"] == len(PROMPTS)
    drawing = 2e-6 * plan().distribution.draws
    assert found.seconds["disagreement"] == pytest.approx(sum(1.53 * each + drawing for each in texts))


def test_probe_leaves_the_model_as_it_was() -> None:
    """It works on a copy, and finds the line through both lengths."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine, target_ms=100.0)
    found = probe(target, (1, 2, 3), 33, lambda: machine.host / 1e9)
    assert target.length == 0
    assert found(1) == pytest.approx(0.1)
    assert found(17) == pytest.approx(0.1 * 1.32)
    assert found(65) == pytest.approx(0.1 * 2.28)


def test_probe_of_a_short_context() -> None:
    """A model with few positions is probed with shorter passes."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine, context=12)
    assert probe(target, (1, 2, 3), 33, lambda: machine.host / 1e9).length == 6


def test_budget() -> None:
    """Over the budget is refused, at it is not; the message holds both."""
    estimate = Estimate({"timing": 900.0}, {"timing": 1}, "as run quick-1 took")
    estimate.require_within(plan())
    with pytest.raises(InputError, match=r"about 15 min here \(as run quick-1 took\) and its budget is 15 min"):
        Estimate({"timing": 901.0}, {"timing": 1}, "as run quick-1 took").require_within(plan())


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5400, "90 min")])
def test_minutes(seconds: float, said: str) -> None:
    """Short times in seconds, long ones in minutes."""
    assert minutes(seconds) == said


def test_time_left_learns_from_the_cells() -> None:
    """Before the first cell the estimate counts, then what cells took; repeats are counted when they come."""
    left = TimeLeft(Estimate({"timing": 10.0, "speed": 100.0}, {"timing": 2, "speed": 5}, ""))
    assert (left.done, left.total, left.seconds) == (0, 7, 110.0)
    left.saved("timing", 8.0)
    assert (left.done, left.total, left.seconds) == (1, 7, 108.0)
    left.saved("timing", 4.0)
    for _ in range(6):
        left.saved("speed", 30.0)
    assert (left.done, left.total, left.seconds) == (8, 8, 0.0)
    assert left.spent() == {"timing": 12.0, "speed": 180.0}


def test_passes_are_a_line() -> None:
    """Between the two lengths and beyond."""
    passes = Passes(one=1.0, many=3.0, length=5)
    assert [passes(n) for n in (1, 3, 5, 9)] == [1.0, 2.0, 3.0, 5.0]
