"""Tables of estimates: shown rounded with their intervals, written out unrounded with their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.console import Group
from rich.text import Text

from speclab.cli.output import table
from speclab.evidence.estimates import EmptySelectionError, Estimate, estimate
from speclab.evidence.format import NO_BREAK_SPACE, parse_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.reader import Run


@dataclass(frozen=True, slots=True)
class Figure:
    """One estimate in a table.

    Attributes:
        name: Of the estimate.
        where: Its conditions.
        found: What the rows amount to.
        form: How it is shown, as `speclab.evidence.format` has it.
    """

    name: str
    where: dict[str, object]
    found: Estimate
    form: str

    def __str__(self) -> str:
        """The rounded value, with its interval where there is one; a dash where there is no value."""
        if self.found.value is None:
            return "-"
        form = parse_format(self.form, self.found.unit)
        if self.found.low is None or self.found.high is None:
            return form.show(self.found.value)
        bare = replace(form, unit="")
        low, high = (
            bare.show(end).removesuffix(f"{NO_BREAK_SPACE}%") for end in (self.found.low, self.found.high)
        )
        return f"{form.show(self.found.value)} [{low}, {high}]"

    @property
    def document(self) -> dict[str, Any]:
        """The estimate as data."""
        return {"estimate": self.name, "where": self.where, **self.found.model_dump(mode="json")}


Row: TypeAlias = tuple[str | Figure, ...]
ALL = "all kinds"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: labels and figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def shown(self) -> Group:
        """For people: the title, which may be wider than the table, the table, and why a value is missing."""
        title = Text(self.title, style="bold")
        return Group(title, table("", self.columns, self.rows), *(Text(f"- : {each}") for each in self.missing))

    @property
    def missing(self) -> tuple[str, ...]:
        """Why values of this table are missing, each reason once."""
        figures = [each for row in self.rows for each in row if isinstance(each, Figure)]
        return tuple(dict.fromkeys(each.found.reason or "" for each in figures if each.found.value is None))

    @property
    def document(self) -> dict[str, Any]:
        """For programs."""
        rows = [[each.document if isinstance(each, Figure) else each for each in row] for row in self.rows]
        return {"title": self.title, "columns": list(self.columns), "rows": rows}


def figure(run: Run, name: str, form: str, **where: object) -> Figure:
    """Estimate by name; where the run holds nothing of the kind, the figure is empty and keeps the reason."""
    asked = {key: value for key, value in where.items() if value is not None}
    try:
        found = estimate(name, run, asked)
    except EmptySelectionError as error:
        found = Estimate(value=None, n=0, reason=str(error))
    return Figure(name, asked, found, form)


def row(*cells: str | Figure) -> Row:
    """One row, of labels and figures."""
    return cells


def by_kind(run: Run, name: str, form: str, ks: Sequence[int], kinds: Sequence[str]) -> tuple[Row, ...]:
    """A row a kind and one for all of them, a column a k."""
    chosen: tuple[str | None, ...] = (*kinds, None)
    return tuple(row(kind or ALL, *(figure(run, name, form, k=k, kind=kind) for k in ks)) for kind in chosen)


def k_columns(ks: Sequence[int]) -> tuple[str, ...]:
    """Headings of columns that stand for a k each."""
    return tuple(f"k = {k}" for k in ks)
