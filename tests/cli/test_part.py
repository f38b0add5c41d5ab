"""The commands that measure a part of a plan: a small run, its tables, and how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from small_bench import SmallBench, json_of, small_repository
from speclab.cli.main import main
from speclab.experiments.overrides import Overrides
from speclab.measure import residency
from speclab.records.reader import read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.records.reader import Run

COMMANDS = ("timing", "speed", "acceptance")


@pytest.fixture
def repository(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in, with one tiny plan and a table pair in place of real models."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    monkeypatch.chdir(small_repository(tmp_path))
    return tmp_path


@pytest.fixture
def command(repository: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run one command in that folder; gives the exit code and both outputs."""
    assert repository

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return run


def only_run(repository: Path) -> Run:
    (folder,) = (repository / "runs").iterdir()
    return read_run(folder)


@pytest.mark.parametrize(
    ("name", "experiments", "title"),
    [
        ("timing", ("timing",), "One pass after 8 tokens"),
        ("speed", ("timing", "speed"), "Speed-up against plain decoding"),
        ("acceptance", ("speed",), "Alpha = accepted"),
    ],
)
def test_a_command_measures_its_part_of_the_plan_and_prints_tables(
    command: Callable[..., tuple[int, str, str]],
    repository: Path,
    name: str,
    experiments: tuple[str, ...],
    title: str,
) -> None:
    """A run in `runs/` like any other, of these experiments alone; messages go to stderr."""
    code, out, err = command(name, "--plan", "tiny")
    run = only_run(repository)
    assert code == 0
    assert run.record.experiments == experiments
    assert run.record.status == "complete"
    assert out.startswith(title)
    assert out.rstrip().endswith(f"runs/{run.record.id}")
    assert "time: about" in err


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_one_document_on_stdout_and_the_same_in_the_file(
    command: Callable[..., tuple[int, str, str]], repository: Path, name: str
) -> None:
    """A program can read either; every value has its name, its conditions and what it rests on."""
    code, out, _ = command(name, "--plan", "tiny", "--json", "--out", "told.json")
    document = json.loads(out)
    assert code == 0
    assert document == json_of(repository / "told.json")
    assert document["run"] == only_run(repository).record.id
    assert document["status"] == "complete"
    cells: list[Any] = [cell for table in document["tables"] for row in table["rows"] for cell in row]
    assert any(isinstance(cell, dict) and cell["value"] is not None for cell in cells)


def test_departures_from_the_plan_are_taken_and_recorded(
    command: Callable[..., tuple[int, str, str]], repository: Path
) -> None:
    """Other k, fewer tokens, another pair: the run says so, and so can never be adopted."""
    code, *_ = command("speed", "--plan", "tiny", "--k", "3", "--new-tokens", "6", "--draft", "other", "--json")
    record = only_run(repository).record
    assert code == 0
    assert (record.plan.speed.ks, record.plan.speed.new_tokens, record.draft.name) == ((3,), 6, "other")
    assert record.overrides == ("--draft other", "--k 3", "--new-tokens 6")
    assert Overrides.recorded(record.overrides) == Overrides(draft="other", ks=(3,), new_tokens=6)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--plan", "tiny", "--new-tokens", "0"), "new_tokens"),
        (("--plan", "tiny", "--k", "2,x"), "whole numbers with commas"),
        (("--plan", "tiny", "--k", "2,2"), "each once"),
        (("--plan", "huge"), "there is no plan 'huge'"),
        (("--plan", "tiny", "--prompts", "gone.jsonl"), "gone.jsonl"),
        (("--plan", "tiny", "--dtype", "int4"), "int4"),
        (("--temperature", "0", "--top-k", "3"), "give a --temperature above 0"),
        (("--temperature", "0", "--top-p", "0.9"), "give a --temperature above 0"),
        (("--top-k", "3"), "give a --temperature above 0"),
        (("--temperature", "1e999"), "--temperature reads as inf: give a finite number"),
        (("--temperature", "nan"), "--temperature reads as nan: give a finite number"),
        (("--temperature", "-1"), "--temperature -1: temperature: Input should be greater than or equal to 0"),
        (("--plan", "tiny", "--new-tokens", "5000"), "exceed the target's context of 4096"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(
    command: Callable[..., tuple[int, str, str]], arguments: tuple[str, ...], told: str
) -> None:
    """Exit code 2, no traceback, nothing on stdout."""
    code, out, err = command("acceptance", *arguments)
    assert (code, out) == (2, "")
    assert told in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_run_that_was_not_resident_is_discarded_by_the_program(
    command: Callable[..., tuple[int, str, str]], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are shown, the run says why it does not count, and the command fails."""
    monkeypatch.setattr(residency, "resident_bytes", lambda: 5)
    code, out, err = command("timing", "--plan", "tiny", "--json")
    record = only_run(repository).record
    assert code == 1
    assert record.status == json.loads(out)["status"] == "discarded"
    assert "of weights were in the device's memory" in str(record.reason)
    assert f"run {record.id} does not count" in err.splitlines()[-1]
