"""How a command ends."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from speclab.cli import main as entry
from speclab.cli.main import GROUPS
from speclab.cli.output import emit, printable, stdout, table
from speclab.errors import CheckError, InputError


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("no such model; see `speclab fetch --list`"), 2, "speclab: no such model"),
        (CheckError("claim speed.k2 does not hold"), 1, "speclab: claim speed.k2"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_ending_has_its_code(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong input ends with 2, a failed check with 1, Ctrl-C with 130, each without a traceback."""

    def application() -> typer.Typer:
        app = typer.Typer(pretty_exceptions_enable=False)

        @app.command()
        def only() -> None:
            raise error

        return app

    monkeypatch.setattr(entry, "application", application)
    with pytest.raises(SystemExit) as end:
        entry.main([])
    assert end.value.code == code
    captured = capsys.readouterr()
    assert captured.err.startswith(line)
    assert captured.err.count("\n") <= 1
    assert not captured.out


@pytest.mark.parametrize(
    ("arguments", "told", "command"),
    [
        (["nope"], "'nope'", "speclab"),
        (["demo", "--k", "99"], "--k", "speclab demo"),
        (["demo", "--k", "x"], "--k", "speclab demo"),
        (["demo", "--what"], "--what", "speclab demo"),
        (["demo", "--k"], "--k", "speclab"),  # typer does not say of which command
        (["generate"], "prompt", "speclab generate"),
        (["evidence", "nope"], "'nope'", "speclab evidence"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], told: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown command or option, a value out of range or a missing one: the fault, and where help is."""
    with pytest.raises(SystemExit) as end:
        entry.main(arguments)
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.err.startswith("speclab: ")
    assert told in captured.err
    assert f"{command} --help`" in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


@pytest.mark.parametrize("arguments", [[], ["evidence"]])
def test_a_group_without_a_command_shows_its_help(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """All of it, not folded into a line."""
    with pytest.raises(SystemExit) as end:
        entry.main(arguments)
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.err.startswith("Usage: speclab")
    assert captured.err.count("\n") > 10


def test_wrong_use_of_the_program_ends_with_two() -> None:
    """The same from a shell, with no traceback."""
    code = "from speclab.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "nope"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_and_a_command_that_went_well_end_with_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither is an error."""
    for arguments in (["--help"], ["demo"]):
        with pytest.raises(SystemExit) as end:
            entry.main(arguments)
        assert end.value.code == 0
        assert not capsys.readouterr().err


def test_out_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """A folder in the way of `--out` is wrong input, and the folder is left alone."""
    with pytest.raises(InputError, match="cannot write"):
        emit({}, [], as_json=False, out=tmp_path)
    assert tmp_path.is_dir()


@pytest.mark.parametrize("name", GROUPS)
def test_out_is_looked_at_before_any_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that takes `--out` refuses a missing folder with one line, before it does anything."""
    monkeypatch.chdir(tmp_path)
    started = {"evidence": ["evidence", "list"], "generate": ["generate", "text"]}.get(name, [name])
    with pytest.raises(SystemExit) as end:
        entry.main([*started, "--out", "gone/x.json"])
    told = capsys.readouterr()
    assert end.value.code == 2
    assert told.err.startswith("speclab: cannot write gone/x.json: No such file or directory; give --out a file")
    assert told.err.count("\n") == 1
    assert not told.out
    assert not list(tmp_path.iterdir())


def test_narrow_table_cuts_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first column stays whole; another is broken, and every letter of it is there."""
    monkeypatch.setattr(stdout, "_width", 30)
    emit({}, [table("", ("name", "value"), [("a" * 20, "b" * 20)])], as_json=False, out=None)
    shown = capsys.readouterr().out
    assert "a" * 20 in shown
    assert shown.count("b") == 20
    assert "…" not in shown


def test_not_a_number_never_reaches_a_document() -> None:
    """NaN in a document is a fault of ours and fails loudly instead of printing what no parser reads."""
    with pytest.raises(ValueError, match="JSON"):
        emit({"x": float("nan")}, [], as_json=True, out=None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("\x07\x9b", "\\x07\\x9b"),
        ("[bold]ď 😀", "[bold]ď 😀"),
    ],
)
def test_text_of_a_model_cannot_steer_the_terminal(text: str, shown: str) -> None:
    """Escape sequences and invisible formatting are spelled out; ordinary text is left alone."""
    assert printable(text) == shown
