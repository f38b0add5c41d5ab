"""`speclab fetch`: bring real models into the cache, or list those that can be brought."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from speclab.cli.output import JsonFlag, OutFile, emit, stderr, table
from speclab.errors import InputError
from speclab.models.catalogue import catalogue, entry
from speclab.models.fetch import fetch, fetched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.models.report import Report

ListFlag = Annotated[bool, typer.Option("--list", help="List the models that can be brought, and which are here.")]
Names = Annotated[list[str] | None, typer.Argument(help="Models of the catalogue.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("fetch")
    def _fetch(
        names: Names = None, *, show: ListFlag = False, as_json: JsonFlag = False, out: OutFile = None
    ) -> None:
        """Bring models into the cache: download, check, convert to safetensors."""
        if not show and not names:
            msg = f"name a model to bring ({', '.join(catalogue())}), or ask for --list"
            raise InputError(msg)
        # Every name is looked at before anything is downloaded.
        chosen = [entry(name).name for name in names or catalogue()]
        if not show:
            with _bars() as report:
                for name in chosen:
                    fetch(name, report)
        _show(chosen, as_json=as_json, out=out)


def _show(names: list[str], *, as_json: JsonFlag, out: OutFile) -> None:
    models = [
        {
            "name": name,
            "folder": str(folder) if (folder := fetched(name)) else None,
            "download_bytes": entry(name).download_bytes,
            "converted_bytes": entry(name).converted_bytes,
            "sha256": entry(name).sha256,
            "licence": entry(name).licence,
            "origin": entry(name).origin,
        }
        for name in names
    ]
    rows = [
        (
            model["name"],
            f"{entry(str(model['name'])).download_bytes / 1e9:.2f} GB",
            f"{entry(str(model['name'])).converted_bytes / 1e9:.2f} GB",
            model["licence"],
            model["folder"],
        )
        for model in models
    ]
    columns = ("model", "download", "converted", "licence", "folder")
    emit({"models": models}, [table("Models", columns, rows)], as_json=as_json, out=out)


@contextmanager
def _bars() -> Iterator[Report]:
    """A bar for each stage that knows its end, with the time left; a line for each that does not."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=stderr) as bar:

        def report(what: str, done: int, total: int, /) -> None:
            if total == 0:
                bar.stop()  # transformers shows bars of its own while it converts
                stderr.print(what, markup=False)
                return
            bar.start()
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)

        yield report
