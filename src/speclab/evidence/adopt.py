"""From a new run to the one that a plan shows, or to one that nobody may cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomli_w

from speclab.errors import CheckError, InputError
from speclab.evidence.beside import not_the_same
from speclab.evidence.claims import Claim
from speclab.evidence.current import Current, changing, read_current, write_current
from speclab.evidence.entries import FILE, read_entries
from speclab.evidence.moving import move_whole
from speclab.evidence.reasons import reasons_against
from speclab.records.files import write_atomic
from speclab.records.lock import measured_now
from speclab.records.reader import find_run, read_record, read_run, run_homes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from speclab.records.reader import Run


def adopt(run_id: str, repository: Path, *, main: bool = False) -> Current:
    """Make a run the one that its plan shows: move it to `research/runs/`, then point `current.toml` at it.

    Its plan becomes `main` when no plan is, or where that is asked for. Killed in between, the same call finishes
    the work. The run that the plan showed before stays in `research/runs/`, and so do the runs beside it, which
    are then beside nothing.

    Args:
        run_id: A run in `runs/` or `research/runs/`.
        repository: Where both lie.
        main: Whether the chapter follows its plan from here on.

    Raises:
        InputError: When the run is not there or cannot be read, or its plan is not there.
        CheckError: When it must not be adopted; says everything that speaks against it.
    """
    run = _adoptable(run_id, repository)
    plan = run.record.plan.name
    with changing(repository):
        current = read_current(repository)
        beside = dict(current.beside)
        if current.runs.get(plan) != run_id:
            beside.pop(plan, None)
        follows = plan if main else current.main or plan
        changed = Current(main=follows, runs=current.runs | {plan: run_id}, beside=beside)
        return _kept(run_id, changed, repository)


def adopt_beside(run_id: str, repository: Path) -> tuple[str, ...]:
    """Keep a run beside the one that its plan shows: move it to `research/runs/`, then name it in `current.toml`.

    Args:
        run_id: A run in `runs/` or `research/runs/`.
        repository: Where both lie.

    Returns:
        The run that the plan shows, and all that now stand beside it.

    Raises:
        InputError: When the run is not there or cannot be read, or its plan is not there or shows no other run.
        CheckError: When it must not be adopted, or is not the same measurement as the run that the plan shows.
    """
    run = _adoptable(run_id, repository)
    plan = run.record.plan.name
    with changing(repository):
        current = read_current(repository)
        shown = current.runs.get(plan)
        if shown is None or shown == run_id:
            msg = (
                f"run {run_id} is the one that the plan {plan} shows: name another run of that plan"
                if shown
                else f"the plan {plan} shows no run that {run_id} could stand beside: adopt it without --beside"
            )
            raise InputError(msg)
        against = not_the_same(read_record(run_homes(repository)[1] / shown), run.record)
        if against:
            msg = f"run {run_id} cannot stand beside {shown}: {'; '.join(against)}; measure the plan {plan} again"
            raise CheckError(msg)
        runs = tuple(dict.fromkeys([*current.beside.get(plan, ()), run_id]))
        changed = current.model_copy(update={"beside": current.beside | {plan: runs}})
        return _kept(run_id, changed, repository).together(plan)


def discard(run_id: str, reason: str | None, repository: Path) -> str:
    """Enter a run in the register as one that nobody may cite, and move it to `research/runs/`.

    Args:
        run_id: A run in `runs/` or `research/runs/`; it need not be complete, nor readable.
        reason: What no program can see; None where the program discarded the run, and its reason stands.
        repository: Where both lie.

    Returns:
        The reason as it stands in the register.

    Raises:
        InputError: When the run is not there, is current, is cited by name, is discarded already, or there is no
            reason. Nothing was changed then.
    """
    folder = find_run(run_id, repository)
    reason = " ".join((_own_reason(folder) if reason is None else reason).split())
    if not reason or not reason.isprintable():
        msg = f"say why run {run_id} is discarded, in plain words: --reason"
        raise InputError(msg)
    _require_at_rest(run_id)
    with changing(repository):
        return _discarded_for(run_id, reason, folder, repository)


def _discarded_for(run_id: str, reason: str, folder: Path, repository: Path) -> str:
    plan = read_current(repository).plan_of(run_id)
    if plan is not None:
        msg = f"run {run_id} is what the plan {plan} shows: adopt another run of that plan before you discard it"
        raise InputError(msg)
    entries = read_entries(repository)
    if run_id in entries.discards:
        msg = f"run {run_id} is discarded already: its reason stands in {FILE}"
        raise InputError(msg)
    if run_id in entries.faults:
        raise InputError(entries.faults[run_id])
    citing = [each.id for each in entries.claims.values() if isinstance(each, Claim) and each.run == run_id]
    if citing:
        msg = f"run {run_id} is cited by name in {FILE} ({', '.join(citing)}): change these claims before it goes"
        raise InputError(msg)
    move_whole(folder, run_homes(repository)[1] / run_id)
    path = repository / FILE
    entry = f"[[discard]]\n{tomli_w.dumps({'run': run_id, 'reason': reason})}"
    # Appended, so that whatever was written by hand keeps its order and its comments.
    write_atomic(path, f"{path.read_text(encoding='utf-8').rstrip()}\n\n{entry}")
    # Last: killed before, the check names a run that is discarded and yet beside.
    _take_from_beside(run_id, repository)
    return reason


def _adoptable(run_id: str, repository: Path) -> Run:
    """The run, read, where nothing speaks against it."""
    folder = find_run(run_id, repository)
    _require_at_rest(run_id)
    run = read_run(folder)
    against = [*_discarded(run_id, repository), *reasons_against(run, repository)]
    if against:
        msg = f"run {run_id} is not adopted: {'; '.join(against)}"
        raise CheckError(msg)
    return run


def _own_reason(folder: Path) -> str:
    """Why the program itself discarded a run."""
    record = read_record(folder)
    if record.status != "discarded" or record.reason is None:
        msg = f"run {record.id} is {record.status}, the program has nothing against it: give your reason, --reason"
        raise InputError(msg)
    return record.reason


def _kept(run_id: str, changed: Current, repository: Path) -> Current:
    """Move the run first, so that nothing ever points at one that is not there."""
    move_whole(find_run(run_id, repository), run_homes(repository)[1] / run_id)
    write_current(repository, changed)
    return changed


def _take_from_beside(run_id: str, repository: Path) -> None:
    current = read_current(repository)
    left = {plan: tuple(each for each in runs if each != run_id) for plan, runs in current.beside.items()}
    kept = {plan: runs for plan, runs in left.items() if runs}
    if kept != current.beside:
        write_current(repository, current.model_copy(update={"beside": kept}))


def _discarded(run_id: str, repository: Path) -> Iterator[str]:
    found = read_entries(repository).discards.get(run_id)
    if found is not None:
        yield f"it is discarded ({found.reason})"


def _require_at_rest(run_id: str) -> None:
    if measured_now() == run_id:
        msg = f"run {run_id} is being measured at this moment: wait until it has ended"
        raise InputError(msg)
