"""A notebook is shown only as it was run: no failed cell, and none that was changed since."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from small_site import HERE
from speclab.errors import InputError
from speclab.site.notebooks import NOTE, digest, execute, faults

if TYPE_CHECKING:
    from pathlib import Path

CELL: dict[str, Any] = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": None, "outputs": []}


def write(root: Path, *sources: str, note: str | None = None, **changes: Any) -> Path:
    """A notebook of these cells."""
    cells = [{**CELL, "id": f"c{place}", "source": source, **changes} for place, source in enumerate(sources)]
    metadata = {} if note is None else {NOTE: note}
    path = root / "docs" / "book.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    return path


def test_the_notebooks_of_the_pages_are_up_to_date() -> None:
    """And there is one."""
    assert list((HERE / "docs").rglob("*.ipynb"))
    assert faults(HERE) == []


def test_a_changed_cell_is_refused(tmp_path: Path) -> None:
    """Whitespace of lists of lines aside, any change of a source; not one of the output."""
    path = write(tmp_path, "a = 1", "a")
    assert faults(tmp_path) == ["docs/book.ipynb: it was never run by this project: `nox -s notebook`"]
    note = digest(json.loads(path.read_text(encoding="utf-8"))["cells"])
    write(tmp_path, "a = 1", "a", note=note, execution_count=7)
    assert faults(tmp_path) == []
    write(tmp_path, "a = 2", "a", note=note)
    (fault,) = faults(tmp_path)
    assert "changed since it was run" in fault


def test_a_failed_cell_is_refused(tmp_path: Path) -> None:
    """With its number."""
    failed = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "", "traceback": []}
    path = write(tmp_path, "1 / 0", outputs=[failed])
    note = digest(json.loads(path.read_text(encoding="utf-8"))["cells"])
    write(tmp_path, "1 / 0", outputs=[failed], note=note)
    (fault,) = faults(tmp_path)
    assert "cell 1 failed when it was run" in fault


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"cells": 3, "metadata": {}}', '{"cells": [{}], "metadata": {}}']
)
def test_what_is_no_notebook_is_one_line(tmp_path: Path, text: str) -> None:
    """Never a traceback."""
    path = write(tmp_path, "a")
    path.write_text(text, encoding="utf-8")
    (fault,) = faults(tmp_path)
    assert "is not a notebook" in fault


def test_running_fills_in_the_output_and_the_note(tmp_path: Path) -> None:
    """From the first cell on; a failing cell leaves the file as it was."""
    path = write(tmp_path, "a = 20", "print(a + 1)")
    execute(path)
    book = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(book)
    assert book["cells"][1]["outputs"][0]["text"] == ["21\n"] or "21" in str(book["cells"][1]["outputs"])
    assert faults(tmp_path) == []
    path = write(tmp_path, "1 / 0")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"^book\.ipynb: a cell failed: ZeroDivisionError: division by zero$"):
        execute(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("while True: pass", r"^book\.ipynb: a cell ran for more than 1 s: "),
        ("import os; os._exit(1)", r"^book\.ipynb: its kernel died"),
    ],
)
def test_a_cell_without_an_end_or_a_kernel_that_dies_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cell: str, said: str
) -> None:
    """The file is left as it was."""
    monkeypatch.setattr("speclab.site.notebooks.TIMEOUT_S", 1)
    path = write(tmp_path, cell)
    before = path.read_bytes()
    with pytest.raises(InputError, match=said):
        execute(path)
    assert path.read_bytes() == before
