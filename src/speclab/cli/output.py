"""What a command shows: tables for people on stdout, or one JSON document, and messages on stderr."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from speclab.errors import InputError
from speclab.records.files import require_writable, write_atomic


def writable(out: Path | None) -> Path | None:
    """The file of `--out`, found to be writable while the command line is read, before any work.

    Raises:
        InputError: When it is not.
    """
    if out is not None:
        with _as_input_error(out):
            require_writable(out)
    return out


JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
OutFile: TypeAlias = Annotated[
    Path | None, typer.Option("--out", help="Also write the JSON document to this file.", callback=writable)
]

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)


def printable(text: str) -> str:
    """Text that a model made, with every control and invisible formatting character spelled out.

    A terminal would obey an escape sequence; line breaks and tabs are the only characters left to act.
    """
    return "".join(
        each if each in "\n\t" or unicodedata.category(each)[0] != "C" else each.encode("unicode_escape").decode()
        for each in text
    )


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table of plain text; what a model wrote is never read as markup.

    In a narrow terminal the first column keeps its width as long as it can, and text is broken, never cut.
    """
    shown = Table(title=title, title_justify="left", pad_edge=False)
    for number, column in enumerate(columns):
        shown.add_column(_cell(column), no_wrap=number == 0)
    for row in rows:
        shown.add_row(*(_cell("-" if cell is None else printable(str(cell))) for cell in row))
    return shown


def _cell(text: str) -> Text:
    return Text(text, overflow="fold", no_wrap=False)


def line(message: str) -> Text:
    """One line of plain text, never read as markup; `emit` leaves it whole for the terminal to wrap."""
    return Text(message)


def emit(document: dict[str, Any], shown: Sequence[object], *, as_json: bool, out: Path | None) -> None:
    """Write the document where that was asked for, and print the tables or the document.

    Raises:
        InputError: When the file cannot be written; what was found is printed all the same.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        if out is not None:
            with _as_input_error(out):
                write_atomic(out, text + "\n")
    finally:
        if as_json:
            sys.stdout.write(text + "\n")
        else:
            for each in shown:
                stdout.print(each, soft_wrap=isinstance(each, Text))


@contextmanager
def _as_input_error(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"cannot write {out}: {error.strerror}; give --out a file in a folder that is there and writable"
        raise InputError(msg) from error


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[str], None]]:
    """A bar on stderr with the time left; call the yielded function after each step, with what it was."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr) as bar:
        task = bar.add_task(what, total=total)

        def advance(step: str) -> None:
            bar.update(task, advance=1, description=f"{what}: {step}")

        yield advance
