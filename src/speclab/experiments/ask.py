"""What was asked for: a plan, the experiments of it, and the departures from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.overrides import Overrides
from speclab.prompts.prompt import select
from speclab.prompts.read import read_prompts
from speclab.records.plan import EXPERIMENTS
from speclab.records.plans import find_plan

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.models.report import Report
    from speclab.prompts.prompt import Prompt
    from speclab.records.plan import Plan


@dataclass(frozen=True, slots=True)
class Ask:
    """A run that was asked for.

    Attributes:
        repository: Where plans, prompts and runs lie.
        plan: Name of the plan.
        command: The command as it may be published.
        experiments: Which to measure, of `EXPERIMENTS`; all that the plan has by default.
        overrides: Departures from the plan.
        fetch: Told how far a download is; None where nothing may be downloaded.
    """

    repository: Path
    plan: str
    command: str
    experiments: tuple[str, ...] | None = None
    overrides: Overrides = field(default_factory=Overrides)
    fetch: Report | None = None

    @property
    def runs(self) -> Path:
        """Where new runs lie."""
        return self.repository / "runs"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the files say that a run is made from.

    Attributes:
        plan: Overrides applied.
        plan_sha256: Digest of the plan's file.
        prompts: In the order they are measured.
        experiments: What is measured, in order.
        files: The plan's file and those of the prompts.
    """

    plan: Plan
    plan_sha256: str
    prompts: tuple[Prompt, ...]
    experiments: tuple[str, ...]
    files: tuple[Path, ...]


def read_inputs(ask: Ask) -> Inputs:
    """Read the plan and its prompts.

    Raises:
        InputError: One line that names the file, where one cannot be used.
    """
    file = find_plan(ask.plan, ask.repository)
    experiments = _chosen(ask.experiments, file.plan)
    other = ask.overrides.prompts
    if other is not None:
        prompts = read_prompts(other)
        plan = ask.overrides.apply(file.plan, [prompt.id for prompt in prompts])
        sources = [other]
    else:
        folder = ask.repository / "research" / "prompts"
        prompts = select(read_prompts(folder), file.plan.prompts)
        plan = ask.overrides.apply(file.plan)
        sources = sorted(folder.glob("*.toml"))
    return Inputs(plan, file.sha256, prompts, experiments, (file.path, *sources))


def _chosen(names: tuple[str, ...] | None, plan: Plan) -> tuple[str, ...]:
    """The experiments that are asked for, in the order they are measured."""
    if names is None:
        return plan.experiments
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown or not names:
        msg = f"unknown experiment {unknown[:1]}: there are {', '.join(EXPERIMENTS)}"
        raise InputError(msg)
    missing = [name for name in names if name not in plan.experiments]
    if missing:
        msg = f"the plan {plan.name} has no part [{missing[0]}]: take a plan that has one, or add it to your own"
        raise InputError(msg)
    return tuple(name for name in EXPERIMENTS if name in names)
