"""Reading runs back: finished ones from `results.json`, running and stopped ones from their cells."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.records.base import Record
from speclab.records.rows import Cell, Results
from speclab.records.run import RUN_ID, RunRecord
from speclab.records.strict import parse_strict, read_bytes, read_strict

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "run.json"
RESULTS = "results.json"
CELLS = "cells"


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it lies on the disk.

    Attributes:
        record: How it was made, and how far it came.
        results: Its cells in the order they were measured; not all of them where the run is unfinished.
    """

    record: RunRecord
    results: Results


class SavedCell(Record):
    """The file of one cell while its run is unfinished."""

    run: str
    number: int
    """Its place in the order of measuring, from 1."""
    seconds: float
    """What it took, with everything around the measured parts."""
    cell: Cell


def read_run(folder: Path) -> Run:
    """Read a run, in whatever state it is, and check everything that can be checked.

    Raises:
        InputError: One line with the file and the remedy, where a file is missing, cut, edited, too large, of
            another format or not ours.
    """
    record = read_record(folder)
    if record.results_sha256 is not None:
        return Run(record, _read_results(folder, record))
    try:
        saved = read_saved(folder, record)
    except FileNotFoundError:  # the run has just been finished under our eyes
        record = read_record(folder)
        return Run(record, _read_results(folder, record))
    return Run(record, Results(run=record.id, cells=tuple(each.cell for each in saved)))


def read_record(folder: Path) -> RunRecord:
    """Read `run.json` alone."""
    if not folder.is_dir():
        msg = f"there is no run at {folder}: `speclab evidence list` names the runs that are there"
        raise InputError(msg)
    require_run_id(folder.name)
    remedy = "restore the file from version control, or take the folder away; it is not a run that can be read"
    record = read_strict(RunRecord, folder / RECORD, remedy)
    if record.id != folder.name:
        msg = f"{folder / RECORD} is that of run {record.id}: a run's folder carries the run's id, rename it back"
        raise InputError(msg)
    if record.status == "complete" and record.results_sha256 is None:
        msg = f"{folder / RECORD} says complete and names no digest of the results: it was edited, restore it"
        raise InputError(msg)
    return record


def read_saved(folder: Path, record: RunRecord) -> tuple[SavedCell, ...]:
    """Read the cells of an unfinished run, in the order they were measured.

    Raises:
        FileNotFoundError: When a cell vanishes while its neighbours are read.
    """
    saved: dict[str, SavedCell] = {}
    for path in sorted((folder / CELLS).glob("[!.]*.json")):
        if not path.exists():
            raise FileNotFoundError(path)
        each = read_strict(SavedCell, path, "delete this one file and go on with --resume, it is measured again")
        if each.run != record.id or each.cell.key in saved:
            fault = f"belongs to run {each.run}" if each.run != record.id else f"repeats the cell {each.cell.key}"
            msg = f"{path} {fault}: delete this one file"
            raise InputError(msg)
        saved[each.cell.key] = each
    return tuple(sorted(saved.values(), key=lambda each: each.number))


def require_run_id(text: str) -> str:
    """Give back a run id, so that no other text ever becomes part of a path.

    Raises:
        InputError: When it is none.
    """
    if not re.fullmatch(RUN_ID.strip("^$"), text):
        msg = (
            f"{text[:100]!r} is no run id: lower-case letters, digits, dots and hyphens only, "
            "as `speclab evidence list` shows them"
        )
        raise InputError(msg)
    return text


def find_run(run_id: str, repository: Path) -> Path:
    """The folder of a run, among the new ones or the adopted and discarded ones."""
    require_run_id(run_id)
    for folder in run_homes(repository):
        if (folder / run_id).is_dir():
            return folder / run_id
    msg = f"there is no run {run_id} in runs/ or research/runs/: `speclab evidence list` names those there are"
    raise InputError(msg)


def run_homes(repository: Path) -> tuple[Path, Path]:
    """Where new runs lie, and where adopted and discarded ones do."""
    return repository / "runs", repository / "research" / "runs"


def run_folders(home: Path) -> tuple[Path, ...]:
    """The folders of one home that can be runs, by name; foreign files and half-made folders are passed over."""
    if not home.is_dir():
        return ()
    return tuple(
        sorted(each for each in home.iterdir() if each.is_dir() and re.fullmatch(RUN_ID.strip("^$"), each.name))
    )


def _read_results(folder: Path, record: RunRecord) -> Results:
    path = folder / RESULTS
    raw = read_bytes(path, "restore it from version control, or discard the run")
    digest = hashlib.sha256(raw).hexdigest()
    if digest != record.results_sha256:
        msg = (
            f"{path} is not what the run wrote (SHA-256 {digest[:12]}…, {RECORD} says "
            f"{str(record.results_sha256)[:12]}…): it was cut or edited, restore it or discard the run"
        )
        raise InputError(msg)
    results = parse_strict(Results, raw, path, "it was written by another version; discard the run")
    if results.run != record.id:
        msg = f"{path} holds the rows of run {results.run}: restore the file that belongs to {record.id}"
        raise InputError(msg)
    return results
