"""`speclab fetch`: bring real models into the cache, or list those that can be brought."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from speclab.cli.output import JsonFlag, OutFile, emit, printable, stderr, table
from speclab.errors import InputError
from speclab.models.cache import cache_folder
from speclab.models.catalogue import catalogue
from speclab.models.fetch import fetch, fetched
from speclab.models.report import Report
from speclab.models.sources import kind_of

ListFlag = Annotated[bool, typer.Option("--list", help="List the catalogue, and which of it is here.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(help="Names of the catalogue, hub ids, or GGUF files to convert.", show_default=False),
]


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("fetch")
    def _fetch(
        names: Names = None, *, listed: ListFlag = False, as_json: JsonFlag = False, out: OutFile = None
    ) -> None:
        """Bring models into the cache: download, check, convert to safetensors."""
        if listed == bool(names):
            msg = f"name models to fetch ({', '.join(catalogue())}), or ask for --list"
            raise InputError(msg)
        if listed:
            _list(as_json=as_json, out=out)
            return
        for name in names or ():
            kind_of(name)  # a slip in the last name comes to light before the first download
        with _bars() as report:
            folders = {name: str(fetch(name, report)) for name in names or ()}
        document = {"models": [{"name": name, "folder": folder} for name, folder in folders.items()]}
        shown = [Text(printable(f"{name}: {folder}")) for name, folder in folders.items()]
        emit(document, shown, as_json=as_json, out=out)


def _list(*, as_json: bool, out: OutFile) -> None:
    models = [
        {
            "name": entry.name,
            "fetched": fetched(entry.name) is not None,
            "download_bytes": entry.download_bytes,
            "converted_bytes": entry.converted_bytes,
            "licence": entry.licence,
            "origin": entry.origin,
            "sha256": entry.sha256,
        }
        for entry in catalogue().values()
    ]
    rows = [
        (
            entry.name,
            f"{entry.download_bytes / 1e9:.2f} GB",
            f"{entry.converted_bytes / 1e9:.2f} GB",
            entry.licence,
            "yes" if fetched(entry.name) else "no",
        )
        for entry in catalogue().values()
    ]
    shown = [table("Models of the catalogue", ("model", "download", "on disk", "licence", "fetched"), rows)]
    document = {"cache": str(cache_folder()), "models": models}
    emit(document, [*shown, Text(printable(f"cache: {cache_folder()}"))], as_json=as_json, out=out)


@contextmanager
def _bars() -> Iterator[Report]:
    """A bar for each stage that knows its end, with the time left; a line for each that does not."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    if not stderr.is_terminal:
        # transformers shows bars of its own while it converts; in a file they would be one endless line.
        os.environ.setdefault("TQDM_DISABLE", "1")
    bar = Progress(*columns, console=stderr)

    def stop() -> None:
        if bar.live.is_started:
            bar.stop()

    def report(what: str, done: int, total: int, /) -> None:
        if total == 0:
            stop()
            stderr.print(what, markup=False)
            return
        bar.start()
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done)

    try:
        yield report
    finally:
        stop()
