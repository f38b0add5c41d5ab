"""The folder of a run while it is measured: what it holds is whole after a kill at any moment.

`runs/<run-id>/run.json` and `cells/<number>-<key>.json`; at the end `results.json` takes the place of the cells.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.records.files import write_atomic
from speclab.records.reader import CELLS, RECORD, RESULTS, Run, SavedCell, read_record, read_saved
from speclab.records.rows import Results
from speclab.records.run import RunRecord

if TYPE_CHECKING:
    from speclab.records.rows import Cell


class RunFolder:
    """A run that is being measured. One process at a time holds one (see `speclab.records.lock`)."""

    def __init__(self, path: Path, record: RunRecord, saved: tuple[SavedCell, ...] = ()) -> None:
        self.path = path
        self.record = record
        self.cells: dict[str, Cell] = {each.cell.key: each.cell for each in saved}
        """Every cell saved so far by key, in the order they were measured."""
        self.seconds: dict[str, float] = {each.cell.key: each.seconds for each in saved}
        """What each of them took."""
        self._number = max((each.number for each in saved), default=0)

    @classmethod
    def create(cls, home: Path, record: RunRecord) -> RunFolder:
        """Make the folder of a new run; it appears whole or not at all."""
        path = home / record.id
        if path.exists():
            msg = f"{path} exists already: start again, each start makes a new id"
            raise InputError(msg)
        home.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=home, prefix=".new-"))
        try:
            fresh.chmod(0o755)
            (fresh / CELLS).mkdir()
            write_atomic(fresh / RECORD, _text(record))
            fresh.rename(path)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        return cls(path, record)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Take up an unfinished run; what a kill left half-written is removed."""
        record = read_record(path)
        (path / CELLS).mkdir(exist_ok=True)
        for left in (*path.glob(".*.json.*"), *(path / CELLS).glob(".*.json.*")):
            left.unlink()
        return cls(path, record, read_saved(path, record))

    @property
    def kept(self) -> int:
        """Cells on the disk; one more than in `cells` where Ctrl-C came as one had just been written."""
        return len(list((self.path / CELLS).glob("[!.]*.json")))

    def save(self, cell: Cell, seconds: float) -> None:
        """Keep a cell; when this returns, it is on the disk."""
        if cell.key in self.cells:
            msg = f"the cell {cell.key} was measured before"
            raise ValueError(msg)
        saved = SavedCell(run=self.record.id, number=self._number + 1, seconds=seconds, cell=cell)
        # The name only helps whoever looks into the folder; the key is read from the cell.
        name = re.sub(r"[^A-Za-z0-9._-]", "_", cell.key)[:120]
        write_atomic(self.path / CELLS / f"{saved.number:04d}-{name}.json", saved.model_dump_json() + "\n")
        self._number += 1
        self.cells[cell.key] = cell
        self.seconds[cell.key] = seconds

    def update(self, **changes: Any) -> None:
        """Change fields of `run.json`."""
        self.record = RunRecord.model_validate(dict(self.record) | changes)
        write_atomic(self.path / RECORD, _text(self.record))

    def finish(self, **changes: Any) -> Run:
        """Write the results, then name their digest in the record, then drop the cells.

        Killed before the record is written, the run is unfinished and its cells are all there; killed after, it
        is finished and `tidy` drops what is left of the cells.

        Args:
            changes: Fields of `run.json`, the status among them.
        """
        results = Results(run=self.record.id, cells=tuple(self.cells.values()))
        raw = _lines(results).encode()
        write_atomic(self.path / RESULTS, raw)
        self.update(results_sha256=hashlib.sha256(raw).hexdigest(), **changes)
        shutil.rmtree(self.path / CELLS)
        return Run(self.record, results)


def tidy(home: Path) -> None:
    """Remove what killed processes left: folders that never became runs, and cells of finished runs."""
    for left in home.glob(".new-*"):
        shutil.rmtree(left, ignore_errors=True)
    for cells in home.glob(f"*/{CELLS}"):
        try:
            finished = read_record(cells.parent).results_sha256 is not None
        except InputError:
            continue
        if finished:
            shutil.rmtree(cells)


def _text(record: RunRecord) -> str:
    return record.model_dump_json(indent=2) + "\n"


def _lines(results: Results) -> str:
    """The file `results.json`: a cell a line, numbers as they are."""
    cells = ",\n".join(each.model_dump_json() for each in results.cells)
    head = results.model_dump_json(include={"format", "run"}).removesuffix("}")
    return f'{head},"cells":[\n{cells}\n]}}\n'
