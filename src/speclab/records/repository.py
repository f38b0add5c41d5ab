"""Where the plans, prompts and runs lie."""

from __future__ import annotations

from pathlib import Path

from speclab.errors import InputError


def find_repository(start: Path | None = None) -> Path:
    """The nearest folder, from here upwards, that holds `research/plans`.

    Raises:
        InputError: When there is none.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "research" / "plans").is_dir():
            return folder
    msg = f"there is no research/plans in {here} or above it: run this command inside a clone of the project"
    raise InputError(msg)
