"""`speclab exactness`: one table or one document, and a failed check where a walk is not as it must be."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from speclab.cli.main import main
from speclab.cli.output import stdout
from speclab.experiments.exactness.experiment import verdict
from speclab.experiments.exactness.subjects import SUBJECTS
from speclab.records.base import Reading
from synthetic_walks import walk_cell, walk_cells, walked

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.rows import Enumerated, ExactnessCell


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


def test_a_narrow_terminal_cuts_no_name(
    walks: list[ExactnessCell], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns every walk has one line in the table, and one below it that says what it is."""
    monkeypatch.setattr(stdout, "_width", 80)
    walks[0] = walk_cell("a-name-as-long-as-any", walked(paths=145_391))
    with pytest.raises(SystemExit) as ended:
        main(["exactness"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    for cell in walks:
        (shown,) = (line for line in lines if line.startswith(f"│{cell.subject}"))
        assert shown.rstrip("│ ").endswith(cell.verdict)
        assert any(line.split() == [cell.subject, *cell.says.split()] for line in lines)
    assert all(len(line) <= 80 for line in lines)
    assert "…" not in "".join(lines)
    assert lines[-1] == "4 of 4 walks came out as they must"
    assert {"0.2 to 0.3", "1e-09,", "0.01", "1e-06"} <= {
        each for line in lines for each in (*line.split(), *(cell.strip() for cell in line.split("│")))
    }


def off(**changes: Any) -> Enumerated:
    return walked(total_variation=0.3, largest_error=0.2, **changes)


KEYS = Reading[float](value=4.4)
HALF = Reading[float](value=0.5)
FAILED = (
    (walk_cell("ratio", walked(), off(k=5)), "ratio: a probability is off by 0.2, more than 1e-09, with table, 3"),
    (
        walk_cell("ratio", walked(draft="perfect", acceptance=HALF)),
        "ratio: of a perfect draft only 0.5 is accepted",
    ),
    (walk_cell("ratio", cache_error=KEYS), "ratio: a key or value in a cache is off by 4.4"),
    (
        walk_cell("fresh-draw", off(), walked(k=7, total_variation=0.002), exact=False),
        "fresh-draw: the mistake is too mild to be found with table, 3 words, k = 7, 3 tokens",
    ),
    (
        walk_cell("draft-cache-long", walked(acceptance_without=HALF), part="draft cache"),
        "draft-cache-long: the fault is not seen in the keys and values: off by 0, less than 1e-06",
    ),
    (
        walk_cell(
            "draft-cache-long",
            walked(acceptance=HALF, acceptance_without=HALF),
            part="draft cache",
            cache_error=KEYS,
        ),
        "draft-cache-long: the fault is not seen in the acceptance: changed by 0, less than 0.01",
    ),
)


@pytest.mark.parametrize(("cell", "told"), FAILED)
def test_a_failed_walk_is_told_with_its_reason(
    walks: list[ExactnessCell], capsys: pytest.CaptureFixture[str], cell: ExactnessCell, told: str
) -> None:
    """One line with the one thing that is off, then the line that ends the command with 1."""
    subject = replace(SUBJECTS[0], part=cell.part, exact=cell.exact)
    assert verdict(subject, cell.configurations, cell.cache_error.value or 0.0) == "failed"
    walks[0] = cell.model_copy(update={"verdict": "failed"})
    with pytest.raises(SystemExit) as ended:
        main(["exactness"])
    assert ended.value.code == 1
    out, err = capsys.readouterr()
    assert out.endswith("3 of 4 walks came out as they must\n")
    (reason,) = (line for line in err.splitlines() if line.startswith(f"{cell.subject}: "))
    assert reason.startswith(told)
    assert "; " not in reason
    assert err.splitlines()[-1].startswith(f"speclab: 1 of 4 walks did not come out as they must: {cell.subject};")


def test_a_failed_walk_is_told_where_the_document_cannot_be_written(
    walks: list[ExactnessCell],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A disk that fills up during the walk hides neither the table nor what failed."""
    walks[0] = FAILED[0][0].model_copy(update={"verdict": "failed"})

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("speclab.cli.output.write_atomic", full)
    with pytest.raises(SystemExit) as ended:
        main(["exactness", "--out", str(tmp_path / "walks.json")])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert "fresh-draw" in out
    assert FAILED[0][1] in err
    assert "No space left on device" in err.splitlines()[-1]
