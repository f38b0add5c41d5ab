"""Which unfinished run to go on with, and what must not have changed since it began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.ask import Ask
from speclab.experiments.overrides import Overrides
from speclab.records.reader import read_record, require_run_id, run_folders

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.experiments.ask import Inputs
    from speclab.models.load import LoadedPair
    from speclab.models.report import Report
    from speclab.records.run import RunRecord

UNFINISHED = ("running", "interrupted", "failed")


def find_unfinished(repository: Path, *, run_id: str | None, plan: str | None) -> RunRecord:
    """The run to go on with: the named one, else the newest unfinished one (of that plan, where one is named).

    Raises:
        InputError: When there is none, or the named one is finished.
    """
    home = repository / "runs"
    if run_id is not None:
        record = read_record(home / require_run_id(run_id))
        if plan not in {None, record.plan.name}:
            msg = f"run {run_id} is one of the plan {record.plan.name}, not of {plan}: leave --plan out"
            raise InputError(msg)
        if record.status not in UNFINISHED:
            msg = f"run {run_id} is {record.status}, nothing of it is left to measure: start anew without --resume"
            raise InputError(msg)
        return record
    found = [record for record in map(_record, run_folders(home)) if record and record.status in UNFINISHED]
    found = [record for record in found if plan in {None, record.plan.name}]
    if not found:
        of = f" of the plan {plan}" if plan else ""
        msg = f"there is no unfinished run{of} in {home}: start one without --resume"
        raise InputError(msg)
    return max(found, key=lambda record: max((record.started, *record.resumed)))


def ask_again(record: RunRecord, repository: Path, given: Overrides, fetch: Report | None) -> Ask:
    """What was asked for when the run began.

    Args:
        record: Of the run.
        repository: Where it lies.
        given: Overrides on the command line now; none, or those of the run.
        fetch: Told how far a download is.

    Raises:
        InputError: On other overrides than the run's.
    """
    if tuple(given) and tuple(given) != record.overrides:
        msg = (
            f"run {record.id} was begun with {' '.join(record.overrides) or 'no overrides'} and keeps to that: "
            "leave the options out, or start anew without --resume"
        )
        raise InputError(msg)
    return Ask(
        repository=repository,
        plan=record.plan.name,
        command=record.command,
        experiments=record.experiments,
        overrides=Overrides.recorded(record.overrides),
        fetch=fetch,
    )


def require_same_plan(record: RunRecord, inputs: Inputs) -> None:
    """Refuse to go on when the plan was edited.

    Raises:
        InputError: With the file.
    """
    if record.plan_sha256 != inputs.plan_sha256:
        msg = (
            f"{inputs.files[0]} changed since run {record.id} began, and a run follows one plan: put it back, or "
            "start anew without --resume"
        )
        raise InputError(msg)


def require_same_pair(record: RunRecord, pair: LoadedPair) -> None:
    """Refuse to go on with other weights.

    Raises:
        InputError: With the name of the model that changed.
    """
    for before, now in ((record.target, pair.target.record), (record.draft, pair.draft.record)):
        if before != now:
            msg = (
                f"{before.name} is not what it was when run {record.id} began (other weights, sizes or dtype): "
                "put it back, or start anew without --resume"
            )
            raise InputError(msg)


def _record(folder: Path) -> RunRecord | None:
    try:
        return read_record(folder)
    except InputError:
        return None
