"""The loop of a run: one job after another, each cell on the disk before the next begins."""

from __future__ import annotations

import time
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from speclab.experiments.protocol import Session
from speclab.experiments.room import require_float32
from speclab.experiments.watch import TimeLeft
from speclab.records.plan import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclab.experiments.bench import Bench
    from speclab.experiments.prepare import Prepared
    from speclab.experiments.protocol import Experiment
    from speclab.experiments.watch import Watch
    from speclab.models.load import LoadedPair
    from speclab.records.folder import RunFolder
    from speclab.records.plan import Dtype


CLASSES = {
    "timing": "experiments.timing:Timing",
    "speed": "experiments.speed:Speed",
    "traces": "experiments.traces:Traces",
    "distribution": "experiments.distribution:Distribution",
    "disagreement": "experiments.disagreement:Disagreement",
    "exactness": "experiments.exactness.experiment:Exactness",
    "divergence": "experiments.divergence:Divergence",
    "margins": "experiments.margins:Margins",
}
"""Loaded by name, so that a run executes, and digests, the files of what it measures and no others."""


def experiments(names: Sequence[str]) -> tuple[Experiment, ...]:
    """The experiments of these names, in the order they are measured."""
    chosen = []
    for name in EXPERIMENTS:
        if name in names:
            module, _, kind = CLASSES[name].partition(":")
            experiment: Experiment = getattr(import_module(f"speclab.{module}"), kind)()
            chosen.append(experiment)
    return tuple(chosen)


def measuring_modules(names: Sequence[str]) -> tuple[str, ...]:
    """The modules that a run of these experiments starts from."""
    return ("experiments.runner", *(CLASSES[name].partition(":")[0] for name in names))


def measure(
    chosen: Sequence[Experiment],
    prepared: Prepared,
    folder: RunFolder,
    bench: Bench,
    watch: Watch,
    clock: Callable[[], float] = time.monotonic,
) -> Mapping[str, float]:
    """Measure what the run still lacks.

    Args:
        chosen: The experiments, in order.
        prepared: Plan, pair and prompts.
        folder: Where each cell goes as soon as it is measured.
        bench: Reloads the pair in another dtype.
        watch: Shown each step.
        clock: Seconds.

    Returns:
        Seconds by experiment, all sessions of the run together.
    """
    before = sum(folder.seconds.values())
    begun = clock()
    session = Session(
        plan=prepared.plan,
        pair=prepared.pair,
        prompts=prepared.prompts,
        done=MappingProxyType(folder.cells),
        say=watch.say,
        budget_left=lambda: 60 * prepared.plan.budget_minutes - before - (clock() - begun),
        reload=Reload(prepared, bench, watch),
    )
    left = TimeLeft(prepared.estimate)
    for experiment in chosen:
        since = clock()
        for job in experiment.cells(session):
            if job.key not in folder.cells:
                cell = job.measure()
                if cell.key != job.key:
                    msg = f"the job {job.key} measured the cell {cell.key}"
                    raise RuntimeError(msg)
                folder.save(cell, clock() - since)
                since = clock()
            left.saved(experiment.name, folder.seconds[job.key])
            watch.step(left.done, left.total, job.key, left.seconds)
    return left.spent()


class Reload:
    """The pair in another dtype; one pair is loaded at a time."""

    def __init__(self, prepared: Prepared, bench: Bench, watch: Watch) -> None:
        self._plan = prepared.plan
        self._loaded: LoadedPair | None = prepared.pair
        self._dtype: Dtype = prepared.plan.pair.dtype
        self._records = prepared.pair.target.record, prepared.pair.draft.record
        self._bench = bench
        self._watch = watch

    def __call__(self, dtype: Dtype) -> LoadedPair:
        """Free what is loaded and load the pair in that dtype; nothing happens where it is loaded already.

        Raises:
            InputError: When the memory does not hold it. Nothing is loaded then.
        """
        if self._loaded is not None and dtype == self._dtype:
            return self._loaded
        if self._loaded is not None:
            self._bench.free(self._loaded)
            self._loaded = None
        if dtype == "float32":
            require_float32(*self._records, self._bench.state(self._plan.pair.device))
        self._watch.say(f"loading the pair once more, in {dtype}")
        self._loaded = self._bench.load(self._plan.pair.model_copy(update={"dtype": dtype}))
        self._dtype = dtype
        return self._loaded
