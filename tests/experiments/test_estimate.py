"""What a run will take, against what it then does on a simulated machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lookouts import quiet
from simulated_machine import SimulatedMachine, timed_pair
from small_bench import Noted, SmallBench, small_ask, small_repository
from small_session import SmallRun, prompt, small_plan
from speclab.errors import InputError
from speclab.experiments.distribution import Distribution
from speclab.experiments.divergence import Divergence
from speclab.experiments.estimate import Estimate, difference, expected_cells, from_passes, minutes
from speclab.experiments.outputs import First
from speclab.experiments.passes import Pace, Passes, probe
from speclab.experiments.recompute import compute
from speclab.experiments.runner import estimate_plan
from speclab.experiments.speed import Speed
from speclab.experiments.timing import Timing
from speclab.experiments.watch import TimeLeft
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from pathlib import Path

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
        run.run(Speed(machine, quiet))
    cells, before = len(run.cells), machine.host
    run.run(experiment)
    return len(run.cells) - cells, (machine.host - before) / 1e9


@pytest.mark.parametrize("name", ["timing", "speed", "distribution", "divergence"])
def test_cells_are_counted_as_they_come(name: str) -> None:
    """The number of cells that an undisturbed run has, so that the progress ends at its end."""
    machine = SimulatedMachine()
    experiments: dict[str, Experiment] = {
        "timing": Timing(machine, quiet),
        "speed": Speed(machine, quiet),
        "distribution": Distribution(),
        "divergence": Divergence(),
    }
    assert measured(machine, experiments[name])[0] == expected_cells(plan(), PROMPTS)[name]


@pytest.mark.parametrize("name", ["timing", "speed"])
def test_time_from_two_passes_is_what_the_run_takes(name: str) -> None:
    """The bulk of a run, within a sixth; the draft's luck is guessed."""
    machine = SimulatedMachine()
    target, draft = timed_pair(machine)
    pace = Pace(*(probe(model, PROMPTS[0].ids, 33, lambda: machine.host / 1e9) for model in (target, draft)))
    seconds = from_passes(plan(), PROMPTS, pace, pace).seconds[name]
    experiment: Experiment = Timing(machine, quiet) if name == "timing" else Speed(machine, quiet)
    assert measured(machine, experiment)[1] == pytest.approx(seconds, rel=1 / 6)


def test_time_of_a_first_difference_is_what_it_takes() -> None:
    """In the middle of an output, at every k, where a pass costs as many steps as it has tokens: five ways."""
    machine = SimulatedMachine()
    target, draft = timed_pair(machine, noise=0.6)
    target.cost = lambda tokens: 2e8 * tokens
    run = SmallRun(plan(), (target, draft), PROMPTS[:1]).run(Speed(machine, quiet))
    cell = next(cell for cell in run.cells.values() if isinstance(cell, SpeedCell))
    plain, arms = cell.arms[0], [arm for arm in cell.arms if arm.arm == "draft"]
    before = machine.host
    for arm in arms:
        compute(target, PROMPTS[0].ids, [First(plain, arm, plan().speed.new_tokens // 2)])
    spent = (machine.host - before) / 1e9 / len(arms)
    passes = probe(target, PROMPTS[0].ids, 33, lambda: machine.host / 1e9)
    assert difference(plan(), len(PROMPTS[0].ids), passes) == pytest.approx(spent, rel=1 / 10)


def test_time_in_float32_is_that_of_float32() -> None:
    """First differences and whole outputs take passes of both dtypes, margins the draft's in float32 alone."""
    half, single = (Pace(Passes(each, each, 2), Passes(each, each, 2)) for each in (1.0, 10.0))
    divided = small_plan(divergence={"float32_prompts_per_kind": 1})
    found, slower = (from_passes(divided, PROMPTS, half, each).seconds for each in (half, single))
    once = len(PROMPTS) * difference(divided, 19, half.target)
    assert slower["divergence"] - once == pytest.approx(10 * (found["divergence"] - once))
    assert slower["margins"] == pytest.approx(10 * found["margins"])
    assert {name for name in found if found[name] != slower[name]} == {"divergence", "margins"}


def test_a_run_in_float32_computes_nothing_twice() -> None:
    """Its differences stand for their own rerun, and no whole output is made again."""
    pace = Pace(Passes(1.0, 2.0, 2), Passes(0.5, 1.0, 2))
    single = plan().model_copy(update={"pair": plan().pair.model_copy(update={"dtype": "float32"})})
    found = from_passes(single, PROMPTS, pace, pace).seconds["divergence"]
    assert found == pytest.approx(len(PROMPTS) * difference(single, 19, pace.target))


def test_what_is_guessed_is_said() -> None:
    """The time of divergence hangs on what it finds; a run that took it before guesses nothing."""
    pace = Pace(Passes(1.0, 2.0, 2), Passes(0.5, 1.0, 2))
    found = from_passes(plan(), PROMPTS, pace, pace)
    assert "min if one output a prompt differs from plain's" in found.line(plan())
    assert "differs" not in found.only(["timing", "speed"]).line(plan())
    assert "differs" not in Estimate({"divergence": 9.0}, {"divergence": 1}, "as run quick-1 took").line(plan())


def test_the_hint_comes_where_speed_is_measured() -> None:
    """A test of the law is not slower for it."""
    pace = Pace(Passes(1.0, 2.0, 2), Passes(0.5, 1.0, 2))
    found = from_passes(plan(), PROMPTS, pace, pace)
    assert found.hint
    assert found.only(["timing", "speed"]).hint == found.hint
    assert found.only(["distribution"]).hint is None


def test_the_hint_is_said_beside_the_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line behind that of the time, before anything is measured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    monkeypatch.setattr("speclab.experiments.prepare.probe", lambda *_, **__: Passes(0.001, 0.008, 9))
    watch = Noted()
    estimate_plan(small_ask(small_repository(tmp_path)), watch, SmallBench())
    *_, before, hint = watch.said
    assert before.startswith("time: about")
    assert hint.startswith("a pass of the target over 9 tokens takes as long as 8.0 over one")


def test_time_of_the_search_grows_with_the_texts() -> None:
    """A pass of each model over each, both laws at every position, and the draws; nothing without that part."""
    pace = Pace(Passes(1.0, 2.0, 2), Passes(0.5, 1.0, 2))
    without = plan().model_copy(update={"disagreement": None})
    assert from_passes(without, PROMPTS, pace, pace).seconds["disagreement"] == 0
    found = from_passes(plan(), PROMPTS, pace, pace)
    texts = [len(each.ids) + plan().speed.new_tokens for each in PROMPTS]
    assert found.cells["disagreement"] == len(PROMPTS)
    drawing = 2e-6 * plan().distribution.draws
    assert found.seconds["disagreement"] == pytest.approx(sum(1.53 * each + drawing for each in texts))


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
