"""The checks of the register: every fault that a build must not pass over, one line each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.beside import not_the_same
from speclab.evidence.current import FILE as CURRENT_FILE
from speclab.evidence.entries import FILE
from speclab.evidence.freshness import changed_sources
from speclab.evidence.holds import parse_holds
from speclab.evidence.reasons import reasons_in
from speclab.evidence.register import Register
from speclab.records.reader import RECORD, read_record, read_run, run_folders, run_homes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from speclab.records.run import RunRecord


def check(repository: Path) -> list[str]:
    """Every fault of `research/`, each in one line that names file and id; empty where all is well.

    Entries of the register that are faulty; runs that are missing, altered, discarded and yet current, of another
    plan or without a machine record; claims without a value; conditions that no longer hold.
    """
    try:
        register = Register(repository)
    except InputError as error:
        return [_short(str(error), repository)]
    faults = (
        *_empty(register),
        *register.faults.values(),
        *_runs(register),
        *_discards(register),
        *_current(register),
        *_claims(register),
    )
    return [_short(fault, repository) for fault in dict.fromkeys(faults)]


def stale(repository: Path) -> list[str]:
    """One line for each file that is not what the run of a plan executed; empty where every run is fresh.

    Not among the faults of `check`: an edit of the loop must not cost a run, but what is published must say so.
    What cannot be read is a fault of `check`, and nothing is said of it here.
    """
    try:
        runs = Register(repository).current.runs
    except InputError:
        return []
    found = []
    for plan, run_id in runs.items():
        try:
            record = read_record(run_homes(repository)[1] / run_id)
        except InputError:
            continue
        found += [
            f"research/runs/{run_id}: stale: {changed}; measure the plan {plan} again"
            for changed in changed_sources(record, repository)
        ]
    return found


def broken_holds(register: Register, claim_id: str) -> str | None:
    """Why the condition of a claim does not hold, or None where it does or the claim has none.

    Raises:
        InputError: When the claim, or one that it is compared with, has no value.
    """
    entry = register.claims.get(claim_id)
    if entry is None or entry.holds is None:
        return None
    return parse_holds(entry.holds).fault(register.value(claim_id), register.number)


def _empty(register: Register) -> Iterator[str]:
    """Runs are adopted to be cited; a register without a claim was cut."""
    if register.current.runs and not (register.claims or register.faults):
        yield f"{FILE} holds no claim, and runs are adopted: restore it from version control"


def _claims(register: Register) -> Iterator[str]:
    """Each claim has a value, a text, and a condition that holds. What keeps many from a value is said once."""
    said: set[str] = set()
    for claim_id in [each for each in register.claims if each not in register.faults]:
        try:
            register.value(claim_id).show()
            fault = broken_holds(register, claim_id)
        except (InputError, CheckError) as error:
            fault = str(error)
        if fault is not None and fault not in said:
            said.add(fault)
            yield f"{register.place(claim_id)}: {fault}"


def _runs(register: Register) -> Iterator[str]:
    """Every run that is kept is whole, but for discarded ones."""
    home = run_homes(register.repository)[1]
    for folder in run_folders(home):
        if folder.name in register.discards:
            continue  # kept as it was found; it need not be whole
        try:
            record = read_run(folder).record
        except InputError as error:
            yield f"research/runs/{folder.name}: {_machine_fault(folder) or error}"
            continue
        if record.status != "complete":
            yield f"research/runs/{folder.name}: the run is {record.status}; discard it, or finish it in runs/"


def _discards(register: Register) -> Iterator[str]:
    """Every discarded run is kept, so that its reason can be looked into."""
    home = run_homes(register.repository)[1]
    for run_id in register.discards:
        if not (home / run_id).is_dir():
            yield f"{register.place(run_id)}: the discarded run is missing from research/runs; restore it"


def _current(register: Register) -> Iterator[str]:
    """Every plan shows a run of its own that is there and that may be cited, and so is each run beside it."""
    home = run_homes(register.repository)[1]
    for plan, run_id in register.current.runs.items():
        try:
            record = register.run(plan).record
        except InputError as error:
            if run_id in register.discards or not (home / run_id).is_dir():
                yield f"{CURRENT_FILE}: {plan}: {error}"
            continue
        if record.plan.name != plan:
            yield f"{CURRENT_FILE}: {plan}: run {run_id} was made by the plan {record.plan.name}"
        yield from (
            f"{CURRENT_FILE}: {plan}: run {run_id} is not to be shown: {why}" for why in reasons_in(record)
        )
        for other in register.current.beside.get(plan, ()):
            yield from (f"{CURRENT_FILE}: beside.{plan}: {fault}" for fault in _beside(register, record, other))


def _beside(register: Register, shown: RunRecord, run_id: str) -> Iterator[str]:
    if run_id == shown.id:
        yield f"run {run_id} stands beside itself; take it away there"
    elif run_id in register.discards:
        yield f"run {run_id} is discarded ({register.discards[run_id].reason}); take it away there"
    else:
        folder = run_homes(register.repository)[1] / run_id
        try:
            record = read_record(folder)
            against = (*not_the_same(shown, record), *reasons_in(record))
        except InputError as error:
            if not folder.is_dir():  # what else is wrong with it is said where every run is looked at
                yield str(error)
            return
        if against:
            yield f"run {run_id} cannot stand beside {shown.id}: {'; '.join(against)}; take it away there"


def _machine_fault(folder: Path) -> str | None:
    """Said in so many words, since a run without its machine is worth nothing."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(record, dict) and not record.get("machine"):
        return f"{RECORD} has no record of the machine: restore the file, or discard the run"
    return None


def _short(fault: str, repository: Path) -> str:
    """Paths as they stand in the repository."""
    return fault.replace(f"{repository}/", "")
