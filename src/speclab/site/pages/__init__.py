"""The pages that nobody writes: the register, one a run, the discarded runs, and this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.records.reader import RECORD, RESULTS, run_folders, run_homes
from speclab.site.building import current
from speclab.site.pages.discarded import discarded_page
from speclab.site.pages.machine import machine_page
from speclab.site.pages.register import register_page
from speclab.site.pages.run import run_page
from speclab.site.runs import newest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def generated_pages() -> dict[str, str]:
    """Each generated page: its path in `docs`, and its Markdown.

    What runs made never stands in that Markdown; executed blocks print it as HTML.
    """
    root = current().root
    makers: dict[str, Callable[[], str]] = {
        "evidence/register.md": register_page,
        "evidence/discarded.md": discarded_page,
        "this-machine.md": machine_page,
    }
    _, kept = run_homes(root)
    for folder in run_folders(kept):
        makers[f"evidence/runs/{folder.name}.md"] = lambda run_id=folder.name: run_page(run_id)  # type: ignore[misc]
    return {path: _made(path, make) for path, make in makers.items()}


def raw_files() -> dict[str, Path]:
    """The files that a page offers to download: path in `docs`, and where they lie."""
    root = current().root
    _, kept = run_homes(root)
    offered = {f"evidence/runs/{folder.name}": folder for folder in run_folders(kept)}
    here, _ = newest(root)
    if here is not None:
        offered["this-machine"] = here
    return {
        f"{path}/{name}": folder / name
        for path, folder in offered.items()
        for name in (RECORD, RESULTS)
        if (folder / name).is_file()
    }


def _made(path: str, make: Callable[[], str]) -> str:
    current().read(path, "")
    try:
        return make()
    except (CheckError, InputError) as error:
        return f"# {path}\n\n<p>{current().report(path, str(error))}</p>\n"
