"""What speaks against showing a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.commits import commit_with
from speclab.records.plans import find_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from speclab.records.reader import Run
    from speclab.records.run import RunRecord


def reasons_against(run: Run, repository: Path) -> list[str]:
    """Everything that speaks against showing a run; empty where nothing does.

    Raises:
        InputError: When its plan is not in `research/plans`.
    """
    return [
        *_other_plan(run.record, repository),
        *reasons_in(run.record),
        *_without_rows(run),
        *_without_commit(run.record, repository),
    ]


def reasons_in(record: RunRecord) -> Iterator[str]:
    """What the record itself says against showing its run, whatever became of the plan and the code since."""
    if record.overrides:
        yield f"it departed from its plan ({', '.join(record.overrides)})"
    if record.status != "complete":
        yield f"it is {record.status}" + (f" ({record.reason})" if record.reason else "")
    if record.machine.after is None:
        yield "its machine record does not say how the run ended"
    if record.memory is None:
        yield "nothing says whether the weights lay in memory"
    elif record.memory.weights_resident.value is not True:
        why = record.memory.reason or record.memory.weights_resident.reason or "no reason is recorded"
        yield f"its weights were not known to lie in memory ({why})"
    if record.dirty.value:
        yield f"its code differed from commit {str(record.commit.value)[:12]}: commit first, then measure"


def _other_plan(record: RunRecord, repository: Path) -> Iterator[str]:
    if find_plan(record.plan.name, repository).sha256 != record.plan_sha256:
        yield f"research/plans/{record.plan.name}.toml is not the plan that it was made by"


def _without_rows(run: Run) -> Iterator[str]:
    there = {cell.experiment for cell in run.results.cells}
    missing = [name for name in run.record.plan.experiments if name not in there]
    if missing:
        yield f"it holds no rows of {', '.join(missing)}"


def _without_commit(record: RunRecord, repository: Path) -> Iterator[str]:
    if record.dirty.value is None and commit_with(repository, record.sources) is None:
        why = record.commit.reason or record.dirty.reason
        yield f"it was made without git ({why}), and no commit here has the files that it executed"
