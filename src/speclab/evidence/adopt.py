"""From a new run to the one that a plan shows, or to one that nobody may cite."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w

from speclab.errors import CheckError, InputError
from speclab.evidence.commits import commit_with
from speclab.evidence.current import Current, read_current, write_current
from speclab.evidence.entries import FILE, read_entries
from speclab.records.files import write_atomic
from speclab.records.lock import measured_now
from speclab.records.plans import find_plan
from speclab.records.reader import find_run, read_run, run_homes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.reader import Run


def adopt(run_id: str, repository: Path) -> Current:
    """Make a run the one that its plan shows: move it to `research/runs/`, then point `current.toml` at it.

    Its plan becomes `main` when no plan is. Killed in between, the same call finishes the work. The run that the
    plan showed before stays in `research/runs/`.

    Args:
        run_id: A run in `runs/` or `research/runs/`.
        repository: Where both lie.

    Raises:
        InputError: When the run is not there or cannot be read, or its plan is not there.
        CheckError: When it must not be adopted; says everything that speaks against it.
    """
    folder = find_run(run_id, repository)
    _require_at_rest(run_id)
    run = read_run(folder)
    current = read_current(repository)
    against = [*_discarded(run_id, repository), *reasons_against(run, repository)]
    if against:
        msg = f"run {run_id} is not adopted: {'; '.join(against)}"
        raise CheckError(msg)
    plan = run.record.plan.name
    _move(folder, run_homes(repository)[1] / run_id)
    changed = Current(main=current.main or plan, runs=current.runs | {plan: run_id})
    write_current(repository, changed)
    return changed


def discard(run_id: str, reason: str, repository: Path) -> None:
    """Enter a run in the register as one that nobody may cite, and move it to `research/runs/`.

    Args:
        run_id: A run in `runs/` or `research/runs/`; it need not be complete, nor readable.
        reason: What no program can see.
        repository: Where both lie.

    Raises:
        InputError: When the run is not there, is current, or is discarded already, or no reason is given.
    """
    reason = " ".join(reason.split())
    if not reason:
        msg = f"say why run {run_id} is discarded: --reason"
        raise InputError(msg)
    folder = find_run(run_id, repository)
    _require_at_rest(run_id)
    plan = read_current(repository).plan_of(run_id)
    if plan is not None:
        msg = f"run {run_id} is what the plan {plan} shows: adopt another run of that plan before you discard it"
        raise InputError(msg)
    if run_id in read_entries(repository).discards:
        msg = f"run {run_id} is discarded already: its reason stands in {FILE}"
        raise InputError(msg)
    _move(folder, run_homes(repository)[1] / run_id)
    path = repository / FILE
    entry = f"[[discard]]\n{tomli_w.dumps({'run': run_id, 'reason': reason})}"
    # Appended, so that whatever was written by hand keeps its order and its comments.
    write_atomic(path, f"{path.read_text(encoding='utf-8').rstrip()}\n\n{entry}")


def reasons_against(run: Run, repository: Path) -> list[str]:
    """Everything that speaks against showing a run; empty where nothing does.

    Raises:
        InputError: When its plan is not in `research/plans`.
    """
    return [*_other_plan(run, repository), *_not_whole(run), *_other_code(run, repository)]


def _other_plan(run: Run, repository: Path) -> Iterator[str]:
    record = run.record
    if record.overrides:
        yield f"it departed from its plan ({', '.join(record.overrides)})"
    if find_plan(record.plan.name, repository).sha256 != record.plan_sha256:
        yield f"research/plans/{record.plan.name}.toml is not the plan that it was made by"


def _not_whole(run: Run) -> Iterator[str]:
    record = run.record
    if record.status != "complete":
        yield f"it is {record.status}" + (f" ({record.reason})" if record.reason else "")
    there = {cell.experiment for cell in run.results.cells}
    missing = [name for name in record.plan.experiments if name not in there]
    if missing:
        yield f"it holds no rows of {', '.join(missing)}"
    if record.machine.after is None:
        yield "its machine record does not say how the run ended"
    if record.memory is None:
        yield "nothing says whether the weights lay in memory"
    elif record.memory.weights_resident.value is not True:
        why = record.memory.reason or record.memory.weights_resident.reason or "no reason is recorded"
        yield f"its weights were not known to lie in memory ({why})"


def _other_code(run: Run, repository: Path) -> Iterator[str]:
    record = run.record
    if record.commit.value is not None and record.dirty.value is False:
        return
    if record.dirty.value:
        yield f"its code differed from commit {str(record.commit.value)[:12]}: commit first, then measure"
    elif commit_with(repository, record.sources) is None:
        why = record.commit.reason or record.dirty.reason
        yield f"it was made without git ({why}), and no commit here has the files that it executed"


def _discarded(run_id: str, repository: Path) -> Iterator[str]:
    found = read_entries(repository).discards.get(run_id)
    if found is not None:
        yield f"it is discarded ({found.reason})"


def _require_at_rest(run_id: str) -> None:
    if measured_now() == run_id:
        msg = f"run {run_id} is being measured at this moment: wait until it has ended"
        raise InputError(msg)


def _move(folder: Path, target: Path) -> None:
    """Move a run's folder so that it is whole in one of the two places at every moment."""
    if folder == target:
        return
    if target.exists():
        msg = f"both {folder} and {target} are there: take away the one that is not meant"
        raise InputError(msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=".new-"))
        shutil.copytree(folder, fresh / "run")
        (fresh / "run").rename(target)
        fresh.rmdir()
        shutil.rmtree(folder)
