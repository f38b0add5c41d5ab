"""The folder of a run while it is measured."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.records.files import write_atomic
from speclab.records.folder import RunFolder, tidy
from speclab.records.reader import read_run
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.rows import Results
    from speclab.records.run import RunRecord


def unfinished() -> tuple[RunRecord, Results]:
    """A run that has just begun, and the cells that it will measure."""
    record, results = synthetic_run("quick-1")
    return record.model_copy(update={"status": "running", "ended": None, "results_sha256": None}), results


def test_cells_survive_and_keep_their_order(tmp_path: Path) -> None:
    """Saved cells are read back equal and in order, by the run's own process and by any other."""
    record, results = unfinished()
    folder = RunFolder.create(tmp_path, record)
    for cell in results.cells:
        folder.save(cell, 0.5)
    reopened = RunFolder.open(folder.path)
    assert tuple(reopened.cells.values()) == results.cells
    assert reopened.seconds == dict.fromkeys(reopened.cells, 0.5)
    names = sorted(path.name for path in (folder.path / "cells").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(results.cells) + 1))
    assert read_run(folder.path).results == results


def test_finish_writes_results_and_drops_cells(tmp_path: Path) -> None:
    """At the end one file holds every cell, as it was measured, and the record names its digest."""
    record, results = unfinished()
    folder = RunFolder.create(tmp_path, record)
    for cell in results.cells:
        folder.save(cell, 0.5)
    run = folder.finish(status="complete")
    raw = (folder.path / "results.json").read_bytes()
    assert run.record.results_sha256 == hashlib.sha256(raw).hexdigest()
    assert read_run(folder.path) == run
    assert run.results == results
    assert sorted(path.name for path in folder.path.iterdir()) == ["results.json", "run.json"]
    assert json.loads(raw)["cells"][0] == json.loads(results.cells[0].model_dump_json())


def test_numbers_are_not_rounded(tmp_path: Path) -> None:
    """The last bit of a measured number survives the file."""
    record, results = unfinished()
    cell = next(each for each in results.cells if each.experiment == "distribution")
    odd = cell.model_copy(update={"total_variation": 0.1 + 0.2})
    folder = RunFolder.create(tmp_path, record)
    folder.save(odd, 0.5)
    folder.finish(status="complete")
    assert read_run(folder.path).results.cells[0] == odd


def test_a_cell_is_saved_once(tmp_path: Path) -> None:
    """The same key twice is a fault of the caller, and nothing is written."""
    record, results = unfinished()
    folder = RunFolder.create(tmp_path, record)
    folder.save(results.cells[0], 0.5)
    with pytest.raises(ValueError, match=r"timing\.r0 was measured before"):
        folder.save(results.cells[0], 0.5)
    assert len(list((folder.path / "cells").iterdir())) == 1


def test_key_never_leaves_the_folder(tmp_path: Path) -> None:
    """A prompt's id with slashes and dots is kept in the cell, and not used as a path."""
    record, results = unfinished()
    cell = next(each for each in results.cells if each.experiment == "speed")
    folder = RunFolder.create(tmp_path, record)
    folder.save(cell.model_copy(update={"prompt": "../../HumanEval/0"}), 0.5)
    assert [path.name for path in (folder.path / "cells").iterdir()] == ["0001-speed..._.._HumanEval_0.r0.a0.json"]
    assert list(RunFolder.open(folder.path).cells) == ["speed.../../HumanEval/0.r0.a0"]


def test_half_written_files_are_removed(tmp_path: Path) -> None:
    """What a kill left beside the cells is no cell, and goes away when the run is taken up."""
    record, results = unfinished()
    folder = RunFolder.create(tmp_path, record)
    folder.save(results.cells[0], 0.5)
    (folder.path / "cells" / ".0002-timing.r1.json.x1").write_text('{"run": "qui', encoding="utf-8")
    (folder.path / ".run.json.x2").write_text("{", encoding="utf-8")
    assert len(read_run(folder.path).results.cells) == 1
    assert len(RunFolder.open(folder.path).cells) == 1
    assert sorted(path.name for path in folder.path.rglob("*")) == ["0001-timing.r0.json", "cells", "run.json"]


@pytest.mark.parametrize("step", ["results", "record", "cells"])
def test_killed_while_finishing(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever step of the end is the last, the run is unfinished with all cells, or complete with all."""

    class Killed(BaseException):
        pass

    record, results = unfinished()
    folder = RunFolder.create(tmp_path, record)
    for cell in results.cells:
        folder.save(cell, 0.5)

    real = write_atomic

    def write(path: Path, data: str | bytes) -> None:
        if path.name == {"results": "results.json", "record": "run.json"}.get(step):
            raise Killed
        real(path, data)

    def remove(_: Path) -> None:
        raise Killed

    monkeypatch.setattr("speclab.records.folder.write_atomic", write)
    if step == "cells":
        monkeypatch.setattr("speclab.records.folder.shutil.rmtree", remove)
    with pytest.raises(Killed):
        folder.finish(status="complete")
    monkeypatch.undo()

    run = read_run(folder.path)
    assert run.results == results
    assert run.record.status == ("complete" if step == "cells" else "running")
    if step == "cells":
        tidy(tmp_path)
    else:
        RunFolder.open(folder.path).finish(status="complete")
    assert sorted(path.name for path in folder.path.iterdir()) == ["results.json", "run.json"]
    assert read_run(folder.path).results == results


def test_killed_while_beginning(tmp_path: Path) -> None:
    """A folder that never became a run is none, and is cleared away."""
    (tmp_path / ".new-x").mkdir()
    record, _ = unfinished()
    RunFolder.create(tmp_path, record)
    tidy(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["quick-1"]


def test_folder_is_not_reused(tmp_path: Path) -> None:
    """A run never writes into the folder of another."""
    record, _ = unfinished()
    RunFolder.create(tmp_path, record)
    with pytest.raises(InputError, match="exists already"):
        RunFolder.create(tmp_path, record)
