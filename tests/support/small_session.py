"""A session without a runner: a table pair, a few prompts, and jobs run one after another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from speclab.experiments.protocol import EncodedPrompt, Session
from speclab.prompts.encode import ids_sha256
from speclab.records.run import PromptRecord
from synthetic import synthetic_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from speclab.decoding.protocols import Model
    from speclab.experiments.protocol import Experiment
    from speclab.records.plan import Plan
    from speclab.records.rows import Cell


def small_plan(**changes: Any) -> Plan:
    """The simulated plan with parts replaced, for instance `speed={"rounds": 2}`."""
    plan = synthetic_plan()
    parts = {name: getattr(plan, name).model_copy(update=update) for name, update in changes.items()}
    return plan.model_copy(update=parts)


def prompt(name: str, ids: Sequence[int], kind: str = "prose") -> EncodedPrompt:
    """A prompt of these tokens."""
    record = PromptRecord(
        id=name,
        kind=kind,
        format="raw",
        tokens=len(ids),
        ids_sha256=ids_sha256(ids),
        licence="CC0-1.0",
        source="ours",
    )
    return EncodedPrompt(record, tuple(ids))


class SmallRun:
    """Runs an experiment's jobs as the runner does: skips what is saved, saves each cell before the next job."""

    def __init__(
        self,
        plan: Plan,
        models: tuple[Model, Model],
        prompts: Sequence[EncodedPrompt],
        budget: Callable[[], float] = lambda: 3600.0,
    ) -> None:
        target, draft = (SimpleNamespace(model=model) for model in models)
        pair: Any = SimpleNamespace(target=target, draft=draft)
        self.cells: dict[str, Cell] = {}
        self.measured: list[str] = []
        self.said: list[str] = []
        self.session = Session(
            plan=plan,
            pair=pair,
            prompts=tuple(prompts),
            done=self.cells,
            say=self.said.append,
            budget_left=budget,
            reload=lambda _: pair,
        )

    def run(self, experiment: Experiment, most: int = 1000) -> Self:
        """Measure at most so many cells."""
        for job in experiment.cells(self.session):
            if job.key in self.cells:
                continue
            if not most:
                break
            most -= 1
            cell = job.measure()
            assert cell.key == job.key
            self.measured.append(job.key)
            self.cells[job.key] = cell
        return self
