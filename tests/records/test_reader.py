"""Reading runs back: each bad file ends in one line that names it and says what to do."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from speclab.errors import InputError
from speclab.records import strict
from speclab.records.reader import find_run, read_run, require_run_id, run_folders
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run."""
    record, results = synthetic_run("quick-1")
    write_run(tmp_path / "quick-1", record, results)
    return tmp_path / "quick-1"


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON file by hand, its digest in `run.json` too, as a careful forger would."""
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), encoding="utf-8")
    if path.name == "results.json":
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        edit(path.parent / "run.json", lambda record: record | {"results_sha256": digest})


def refusal(folder: Path) -> str:
    """The one line with which a run is refused."""
    with pytest.raises(InputError) as refused:
        read_run(folder)
    text = str(refused.value)
    assert "\n" not in text
    assert len(text) < 600
    return text


def test_round_trip(folder: Path) -> None:
    """A good run is read as it was written."""
    record, results = synthetic_run("quick-1")
    run = read_run(folder)
    assert run.results == results
    assert run.record.machine == record.machine


@pytest.mark.parametrize("name", ["run.json", "results.json"])
def test_missing_file(folder: Path, name: str) -> None:
    """A missing file is named."""
    (folder / name).unlink()
    assert f"{name} is missing: restore" in refusal(folder)


@pytest.mark.parametrize("name", ["run.json", "results.json"])
def test_truncated_file(folder: Path, name: str) -> None:
    """Half a file is named, whether or not a digest guards it."""
    half = (folder / name).read_bytes()[:-200]
    (folder / name).write_bytes(half)
    text = refusal(folder)
    assert name in text
    assert "cut or edited" in text


def test_one_edited_number(folder: Path) -> None:
    """A single digit changed by hand is seen by the digest."""
    path = folder / "results.json"
    path.write_text(path.read_text("utf-8").replace("190", "180", 1), encoding="utf-8")
    assert "is not what the run wrote" in refusal(folder)


def test_nan(folder: Path) -> None:
    """NaN is refused by name, even under a right digest."""

    def change(results: Any) -> Any:
        cell = next(each for each in results["cells"] if each["experiment"] == "distribution")
        cell["acceptance"] = float("nan")
        return results

    edit(folder / "results.json", change)
    text = refusal(folder)
    assert "holds nan at cells." in text
    assert "acceptance" in text


def test_other_format(folder: Path) -> None:
    """A file of another format, and one that states none, say so."""
    edit(folder / "results.json", lambda results: results | {"format": 7})
    assert "is of format 7, and this version reads format 1 only" in refusal(folder)
    edit(folder / "results.json", lambda results: {key: results[key] for key in results if key != "format"})
    assert "does not say its format" in refusal(folder)


def test_foreign_json(folder: Path) -> None:
    """JSON of some other program is refused with the place that does not fit."""
    (folder / "run.json").write_text('{"name": "something else"}', encoding="utf-8")
    assert "run.json has no id: restore the file" in refusal(folder)
    (folder / "run.json").write_bytes(b"\xff\xfe\x00")
    assert "is not whole JSON" in refusal(folder)


@pytest.mark.parametrize("foreign", [{"results": [{"tps": 9.5}]}, {"format": 1}, {}, [1, 2], 7, None, "text"])
def test_foreign_results_under_a_right_digest(folder: Path, foreign: object) -> None:
    """Rows of some other program are no rows, even if someone wrote their digest down."""
    edit(folder / "results.json", lambda _: foreign)
    text = refusal(folder)
    assert "results.json" in text
    assert text.endswith(": it was written by another version; discard the run")


def test_unknown_key_and_wrong_type(folder: Path) -> None:
    """Nothing is passed over and nothing coerced."""
    edit(folder / "run.json", lambda record: record | {"mood": "good"})
    assert "at mood" in refusal(folder)
    edit(folder / "run.json", lambda record: {key: record[key] for key in record if key != "mood"})
    edit(folder / "run.json", lambda record: record | {"resumed": 7})
    assert "at resumed" in refusal(folder)
    edit(folder / "run.json", lambda record: record | {"resumed": [], "fallback": None})
    edit(folder / "results.json", lambda rows: rows | {"cells": [rows["cells"][0] | {"round": "0"}]})
    assert "at cells.0.timing.round" in refusal(folder)


def test_too_large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the limit is not read at all."""
    monkeypatch.setattr(strict, "LARGEST_BYTES", 2**20 // 16)
    assert "more than the" in refusal(folder)


def test_rows_of_another_run(folder: Path) -> None:
    """Rows and record must belong together, and the folder must carry the run's id."""
    edit(folder / "results.json", lambda results: results | {"run": "quick-2"})
    assert "holds the rows of run quick-2" in refusal(folder)
    moved = folder.rename(folder.parent / "quick-3")
    assert "is that of run quick-1" in refusal(moved)


def test_complete_without_digest(folder: Path) -> None:
    """The digest cannot be talked away."""
    edit(folder / "run.json", lambda record: record | {"results_sha256": None})
    assert "names no digest" in refusal(folder)


@pytest.mark.parametrize("text", ["", "..", "../etc", "a/b", "A", "-a", "a" * 82, "a\n", "quick-1 "])
def test_bad_run_id(text: str, tmp_path: Path) -> None:
    """What is no run id never becomes a path."""
    with pytest.raises(InputError, match="is no run id"):
        require_run_id(text)
    with pytest.raises(InputError, match="is no run id"):
        find_run(text, tmp_path)


def test_find_run(tmp_path: Path) -> None:
    """A run is found among the new and the adopted ones; one that is nowhere is named."""
    (tmp_path / "runs" / "quick-1").mkdir(parents=True)
    (tmp_path / "research" / "runs" / "cpu-1").mkdir(parents=True)
    (tmp_path / "runs" / ".new-x").mkdir()
    assert find_run("quick-1", tmp_path) == tmp_path / "runs" / "quick-1"
    assert find_run("cpu-1", tmp_path) == tmp_path / "research" / "runs" / "cpu-1"
    with pytest.raises(InputError, match="there is no run gpu-1"):
        find_run("gpu-1", tmp_path)
    assert [each.name for each in run_folders(tmp_path / "runs")] == ["quick-1"]
    assert run_folders(tmp_path / "nowhere") == ()


def test_no_torch_needed() -> None:
    """Runs are read without torch."""
    code = "import sys, speclab.records.reader, speclab.records.folder; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_damaged_cell_of_a_running_run(tmp_path: Path) -> None:
    """A broken, foreign or doubled cell is named with the way on."""
    record, results = synthetic_run("quick-1")
    record = record.model_copy(update={"status": "running", "results_sha256": None})
    folder = tmp_path / "quick-1"
    (folder / "cells").mkdir(parents=True)
    (folder / "run.json").write_text(record.model_dump_json(), encoding="utf-8")
    cell = {"run": "quick-1", "number": 1, "seconds": 0.5, "cell": json.loads(results.cells[0].model_dump_json())}
    path = folder / "cells" / "0001-timing.r0.json"

    path.write_text(json.dumps(cell)[:100], encoding="utf-8")
    assert "delete this one file and go on with --resume" in refusal(folder)
    path.write_text(json.dumps(cell | {"run": "quick-2"}), encoding="utf-8")
    assert "belongs to run quick-2" in refusal(folder)
    path.write_text(json.dumps(cell), encoding="utf-8")
    (folder / "cells" / "0002-timing.r0.json").write_text(json.dumps(cell), encoding="utf-8")
    assert "repeats the cell timing.r0" in refusal(folder)
