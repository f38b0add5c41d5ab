"""Which run a table or figure shows, and the page where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.records.reader import find_run, read_record, read_run, run_folders, run_homes
from speclab.site.building import current
from speclab.site.html import code, link

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.reader import Run
    from speclab.site.html import Html


def run_of(run_id: str | None = None) -> Run:
    """A run by its id, the run that a plan shows by the plan's name, or the run that the chapter follows.

    What is being made of it rests on it.

    Raises:
        InputError: When there is none, or it cannot be read.
    """
    current().ask("run", run_id or "")
    return found(run_id)


def found(run_id: str | None) -> Run:
    """The same, and nothing rests on it."""
    building = current()
    if run_id is None or run_id in building.register.current.runs:
        return building.register.run(run_id)
    if run_id not in building.runs:
        building.runs[run_id] = read_run(find_run(run_id, building.root))
    return building.runs[run_id]


def run_link(run_id: str) -> Html:
    """A run's id, linked to its page."""
    _, kept = run_homes(current().root)
    page = f"/evidence/runs/{run_id}.md" if (kept / run_id).is_dir() else "/this-machine.md"
    return link(page, code(run_id))


def newest(root: Path) -> tuple[Path | None, list[str]]:
    """The folder of the newest run made on this machine, and why others could not be read."""
    home, _ = run_homes(root)
    found, unreadable = [], []
    for folder in run_folders(home):
        try:
            found.append((read_record(folder).started, folder))
        except InputError as error:
            unreadable.append(str(error).replace(f"{root}/", ""))
    return max(found)[1] if found else None, unreadable
