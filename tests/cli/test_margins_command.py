"""`speclab margins`: measured in float32 on a table pair, and shown from a simulated run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from small_bench import SmallBench, small_repository
from speclab.cli.main import main
from speclab.cli.sheets.margins import sheets
from speclab.cli.sheets.sheet import Figure
from speclab.records.base import Reading
from speclab.records.reader import Run, read_run
from speclab.records.rows import ConstructedTie, MarginsCell
from synthetic import synthetic_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = Run(*synthetic_run())


@pytest.fixture
def command(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """Run one command where a tiny plan lies, on a table pair; gives the exit code and both outputs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    monkeypatch.chdir(small_repository(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return run


def test_a_pair_is_measured_in_float32(command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """One cell for the first prompt of each kind; a table's rows hang on no shape, and the reason is shown."""
    code, out, err = command("margins", "--plan", "tiny", "--json")
    (folder,) = (tmp_path / "runs").iterdir()
    run = read_run(folder)
    assert code == 0
    assert "loading the pair once more, in float32" in err
    assert run.record.experiments == ("margins",)
    assert [cell.key for cell in run.results.cells] == ["margins.prose-1", "margins.code-1"]
    _, changes, ties = json.loads(out)["tables"]
    assert [row[0] for row in changes["rows"]] == ["2", "4"]
    assert {row[4]["value"] for row in changes["rows"]} == {None}
    assert "changed" in ties["rows"][0][-1]


def test_sampling_is_refused(command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """Margins are those of the greedy choice."""
    code, out, err = command("margins", "--plan", "tiny", "--temperature", "0.7")
    assert (code, out) == (2, "")
    assert "greedy" in err
    assert not (tmp_path / "runs").exists()


def test_a_plan_without_margins_is_refused(command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """The line names the part that the plan lacks."""
    plan = tmp_path / "research" / "plans" / "tiny.toml"
    plan.write_text(plan.read_text("utf-8").partition("[margins]")[0], encoding="utf-8")
    code, _, err = command("margins", "--plan", "tiny")
    assert code == 2
    assert "the plan tiny has no part [margins]" in err


def test_every_number_is_a_named_estimate() -> None:
    """Six kinds and all of them; three lengths; a line a text, its tokens shown by their characters."""
    gaps, changes, ties = sheets(RUN)
    assert [row[0] for row in gaps.rows] == ["prose", "code", "repetitive", "json", "copying", "chat", "all kinds"]
    assert [each.name for each in gaps.rows[0][1:] if isinstance(each, Figure)] == [
        "margin_rows",
        "smallest_gap",
        "gaps_below",
        "gap_density",
    ]
    assert [
        [each.found.value is not None for each in row if isinstance(each, Figure)] for row in changes.rows
    ] == [[True] * 4] * 3
    assert ties.rows[0] == (
        "prose-1",
        "1",
        "0.01",
        "0.009997",
        "'```exec\\n[=id]'",
        "' <b>one</b>'",
        "'```exec\\n[=id]'",
        "2",
    )


def test_a_text_without_a_tie_says_why() -> None:
    """A dash, and the reason in its place."""
    nothing = Reading[ConstructedTie](reason="no length changed anything")
    cells = tuple(
        cell.model_copy(update={"constructed": nothing}) if isinstance(cell, MarginsCell) else cell
        for cell in RUN.results.cells
    )
    ties = sheets(Run(RUN.record, RUN.results.model_copy(update={"cells": cells})))[-1]
    assert ties.rows[0] == ("prose-1", "-", "0.01", "-", "-", "-", "-", "no length changed anything")
