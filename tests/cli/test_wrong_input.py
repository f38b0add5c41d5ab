"""Files and ids that are wrong: one line that names the file, the place and the remedy, and nothing is changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from small_bench import SmallBench
from small_bench import small_repository as tiny_repository
from small_repository import claim, new_run, small_repository
from speclab.cli.main import main
from speclab.evidence.adopt import adopt

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RESULTS = "runs/quick-1/results.json"
LARGEST = 64 * 2**20
NAN = float("nan")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs `speclab evidence …`; gives back the one line that it ends with, and no file is another afterwards."""

    def run(*arguments: str, code: int = 2) -> str:
        before = _files(tmp_path)
        with pytest.raises(SystemExit) as end:
            main(["evidence", *arguments])
        assert end.value.code == code
        assert _files(tmp_path) == before
        (line,) = capsys.readouterr().err.splitlines()
        return line

    return run


def _files(root: Path) -> dict[str, tuple[int, int]]:
    there = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock"]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in there}


def _sealed(path: Path, change: Callable[[Any], Any]) -> None:
    """Change rows and write their new digest into the record, as a careful forger would."""
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), encoding="utf-8")
    record = path.parent / "run.json"
    sealed = json.loads(record.read_text("utf-8")) | {
        "results_sha256": hashlib.sha256(path.read_bytes()).hexdigest()
    }
    record.write_text(json.dumps(sealed), encoding="utf-8")


def _with_nan(results: Any) -> Any:
    next(each for each in results["cells"] if each["experiment"] == "distribution")["acceptance"] = NAN
    return results


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(LARGEST + 1)


@pytest.mark.parametrize(
    ("spoil", "fault", "remedy"),
    [
        (
            lambda path: path.write_bytes(path.read_bytes()[:-200]),
            "is not what the run wrote (SHA-256 ",
            "restore it",
        ),
        (
            lambda path: path.write_text(path.read_text("utf-8").replace("190", "180", 1), encoding="utf-8"),
            "is not what the run wrote (SHA-256 ",
            "restore it or discard the run",
        ),
        (lambda path: _sealed(path, _with_nan), "holds nan at cells.", "discard the run"),
        (lambda path: _sealed(path, lambda rows: rows | {"format": 0}), "is of format 0", "discard the run"),
        (lambda path: _sealed(path, lambda _: {"results": [{"tps": 9.5}]}), "has no run", "discard the run"),
        (_grown, "holds 64 MiB, more than the 64 that are read", "discard the run"),
        (lambda path: path.unlink(), "is missing", "restore it from version control"),
    ],
    ids=["truncated", "edited", "NaN", "old format", "foreign", "too large", "missing"],
)
@pytest.mark.parametrize("command", ["show", "adopt", "diff", "check"])
def test_results_that_are_not_the_run_s(
    tmp_path: Path,
    refused: Callable[..., str],
    spoil: Callable[[Path], object],
    fault: str,
    remedy: str,
    command: str,
) -> None:
    """Whichever command reads them."""
    small_repository(tmp_path, claim("c", "cost_ratio"))
    new_run(tmp_path, "quick-1")
    new_run(tmp_path, "quick-2")
    spoil(tmp_path / RESULTS)
    others = ["quick-2"] if command == "diff" else []
    said = refused(command, "quick-1", *others, code=1 if command == "check" else 2)
    assert f"{RESULTS} {fault}" in said
    assert remedy in said


@pytest.mark.parametrize("run_id", ["../../etc", "quick-1/../quick-1", "/etc", "A", "", "a" * 99, "quick-1\n"])
@pytest.mark.parametrize(
    "command",
    [
        ["show", "{}"],
        ["check", "{}"],
        ["adopt", "{}"],
        ["discard", "{}", "--reason", "x"],
        ["diff", "{}", "quick-1"],
        ["diff", "quick-1", "{}"],
        ["run", "--resume", "{}"],
    ],
    ids=" ".join,
)
def test_a_bad_run_id_never_becomes_a_path(
    tmp_path: Path, refused: Callable[..., str], run_id: str, command: list[str]
) -> None:
    """Above the folder, below another one, or of letters that no run has."""
    small_repository(tmp_path, claim("c", "cost_ratio"))
    new_run(tmp_path, "quick-1")
    said = refused(*(each.format(run_id) for each in command))
    assert "is no run id: lower-case letters, digits, dots and hyphens only, as `speclab evidence list`" in said


@pytest.mark.parametrize(
    ("register", "fault"),
    [
        ("", "research/register.toml holds no claim, and runs are adopted: restore it from version control"),
        ("[[claim]", "research/register.toml is not TOML in UTF-8 ("),
        (claim("x", "sped", "k = 2"), "research/register.toml:3: x: unknown estimate 'sped'"),
        (
            claim("x", "speedup", "k = 2, colour = 1"),
            "research/register.toml:3: x: estimate speedup has no condition",
        ),
    ],
    ids=["empty", "cut", "unknown estimate", "unknown condition"],
)
def test_a_register_that_cannot_be_cited(
    tmp_path: Path, refused: Callable[..., str], register: str, fault: str
) -> None:
    """With the line of the entry, where there is one."""
    small_repository(tmp_path, claim("c", "cost_ratio"))
    new_run(tmp_path, "quick-1")
    adopt("quick-1", tmp_path)
    (tmp_path / "research" / "register.toml").write_text(register, encoding="utf-8")
    said = refused("check", code=1)
    assert f"1 fault found: {fault}" in said


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ('{"id": "x", "kind": "odd", "prompt": "é"}\n'.encode("utf-16"), "line 1: byte 0xff is not UTF-8"),
        ('{"id": "x", "kind": "odd", "prompt": "e"}\n'.encode("utf-16-le"), "line 1: a zero byte"),
        ('\n{"id": "x", "kind": "odd", "prompt": "é"}\n'.encode("latin-1"), "line 2: byte 0xe9 is not UTF-8"),
    ],
    ids=["UTF-16", "UTF-16 without a mark", "latin-1"],
)
def test_prompts_in_another_encoding(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, raw: bytes, place: str
) -> None:
    """Never guessed: a wrong guess would be measured."""
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    tiny_repository(tmp_path)
    (tmp_path / "own.jsonl").write_bytes(raw)
    said = refused("run", "--plan", "tiny", "--prompts", "own.jsonl")
    assert f"own.jsonl, {place}" in said
    assert "save the file as UTF-8 text" in said
