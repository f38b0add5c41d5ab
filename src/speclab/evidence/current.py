"""Which run each plan shows, and which plan the chapter follows: `research/current.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import tomli_w
from pydantic import Field, ValidationError

from speclab.errors import InputError
from speclab.evidence.documents import read_toml
from speclab.records.base import Record
from speclab.records.files import write_atomic
from speclab.records.run import RUN_ID

if TYPE_CHECKING:
    from pathlib import Path

FILE = "research/current.toml"
HEADER = "# Written by `speclab evidence adopt`. `main` is the plan that the chapter follows.\n\n"
RunId: TypeAlias = Annotated[str, Field(pattern=RUN_ID)]


class Current(Record):
    """The adopted runs that are shown.

    Attributes:
        main: Plan that a claim without a plan of its own means; None until a run is adopted.
        runs: Run of each plan that has one.
    """

    main: str | None = None
    runs: dict[str, RunId] = Field(default_factory=dict)

    def plan_of(self, run_id: str) -> str | None:
        """The plan that shows this run, or None."""
        return next((plan for plan, run in self.runs.items() if run == run_id), None)


def read_current(repository: Path) -> Current:
    """Read the file.

    Raises:
        InputError: When it is missing or faulty, or names a main plan without a run.
    """
    path = repository / FILE
    try:
        current = Current.model_validate(read_toml(path))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        msg = f"{path}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}; correct it there"
        raise InputError(msg) from None
    if current.main is not None and current.main not in current.runs:
        msg = f"{path}: main = {current.main!r}, and that plan has no run there; name one that has, or adopt a run"
        raise InputError(msg)
    return current


def write_current(repository: Path, current: Current) -> None:
    """Replace the file as a whole."""
    write_atomic(repository / FILE, HEADER + tomli_w.dumps(current.model_dump(exclude_none=True)))
