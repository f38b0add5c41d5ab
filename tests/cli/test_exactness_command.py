"""`speclab exactness`: one table or one document, and a failed check where a walk is not as it must be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from speclab.cli.main import main
from synthetic_walks import walk_cell, walk_cells

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.rows import ExactnessCell


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[ExactnessCell]:
    """What the walks will give, in the place of a minute's work."""
    cells = list(walk_cells())
    monkeypatch.setattr("speclab.experiments.exactness.subjects.SUBJECTS", tuple(range(len(cells))))
    monkeypatch.setattr("speclab.experiments.exactness.experiment.walk_subject", cells.__getitem__)
    return cells


def test_document(walks: list[ExactnessCell], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The table's rows and the walks themselves."""
    with pytest.raises(SystemExit) as ended:
        main(["exactness", "--json", "--out", str(tmp_path / "walks.json")])
    assert ended.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["subject"] for each in document["walks"]] == [each.subject for each in walks]
    assert document == json.loads((tmp_path / "walks.json").read_text("utf-8"))
    assert len(document["tables"][0]["rows"]) == len(walks)


def test_a_failed_walk_ends_with_one(walks: list[ExactnessCell], capsys: pytest.CaptureFixture[str]) -> None:
    """After the table, one line that names it."""
    walks[0] = walk_cell("ratio", verdict="failed")
    with pytest.raises(SystemExit) as ended:
        main(["exactness"])
    assert ended.value.code == 1
    out, err = capsys.readouterr()
    assert "fresh-draw" in out
    assert "1 of 4 walks did not come out as they must: ratio" in err
