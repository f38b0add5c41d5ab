"""Which run each plan shows and what stands beside it, and the plan of the chapter: `research/current.toml`."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import tomli_w
from pydantic import Field, ValidationError

from speclab.errors import InputError
from speclab.evidence.documents import read_toml
from speclab.records.base import Record
from speclab.records.files import write_atomic
from speclab.records.run import RUN_ID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "research/current.toml"
HEADER = "# Written by `speclab evidence adopt`. `main` is the plan that the chapter follows.\n\n"
RunId: TypeAlias = Annotated[str, Field(pattern=RUN_ID)]


class Current(Record):
    """The adopted runs that are shown.

    Attributes:
        main: Plan that a claim without a plan of its own means; None until a run is adopted.
        runs: Run of each plan that has one.
        beside: Further runs of a plan, made as that one was: they tell how far such runs lie apart.
    """

    main: str | None = None
    runs: dict[str, RunId] = Field(default_factory=dict)
    beside: dict[str, tuple[RunId, ...]] = Field(default_factory=dict)

    def plan_of(self, run_id: str) -> str | None:
        """The plan that shows this run, or None."""
        return next((plan for plan, run in self.runs.items() if run == run_id), None)

    def together(self, plan: str) -> tuple[str, ...]:
        """The run that a plan shows, and those beside it."""
        return self.runs[plan], *self.beside.get(plan, ())


def read_current(repository: Path) -> Current:
    """Read the file.

    Raises:
        InputError: When it is missing or faulty, or names a main plan, or runs beside a run, that is not there.
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
    for plan, beside in current.beside.items():
        if len(set(beside)) < len(beside):
            msg = f"{path}: beside.{plan}: a run stands there twice, and would count twice; take it away once"
            raise InputError(msg)
    for plan in current.beside.keys() - current.runs.keys():
        msg = f"{path}: beside.{plan}: that plan has no run there to stand beside; take the line away"
        raise InputError(msg)
    return current


@contextmanager
def changing(repository: Path) -> Iterator[None]:
    """Hold what is adopted and discarded to oneself: two changes at one moment come one after the other.

    The lock is on the folder, so that it leaves no file behind and goes with the process that holds it.
    """
    folder = os.open((repository / FILE).parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def write_current(repository: Path, current: Current) -> None:
    """Replace the file as a whole."""
    tables = current.model_dump(exclude_none=True, exclude=None if current.beside else {"beside"})
    write_atomic(repository / FILE, HEADER + tomli_w.dumps(tables))
