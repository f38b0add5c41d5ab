"""The entries of `research/register.toml`: sound ones as records, faulty ones as one line each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from speclab.errors import InputError
from speclab.evidence.claims import Claim, Computed, Discard
from speclab.evidence.documents import line_of, read_toml
from speclab.evidence.estimates import check_where
from speclab.evidence.formulas import find_formula
from speclab.evidence.holds import parse_holds

if TYPE_CHECKING:
    from pathlib import Path

FILE = "research/register.toml"
Numbered: TypeAlias = Claim | Computed
"""An entry that stands for a number."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What the file holds.

    Attributes:
        claims: Claims and computed values by id, in the order of the file, claims first.
        discards: Discarded runs by run id.
        faults: Why an entry has no value, by id; complete lines with file and line number.
    """

    claims: dict[str, Numbered] = field(default_factory=dict)
    discards: dict[str, Discard] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def read_entries(repository: Path) -> Entries:
    """Read the register.

    Raises:
        InputError: When the file is missing or not TOML, holds another table, or an entry has no id.
    """
    path = repository / FILE
    document = read_toml(path)
    for name, table in document.items():
        if name not in {"claim", "computed", "discard"} or not isinstance(table, list):
            msg = f"{path} holds {name!r}; it takes [[claim]], [[computed]] and [[discard]]"
            raise InputError(msg)
    entries = Entries()
    for kind, key in ((Claim, "id"), (Computed, "id"), (Discard, "run")):
        for raw in document.get(kind.__name__.lower(), ()):
            _keep(entries, kind, raw, _name(path, kind, raw, key), path)
    return entries


def place(path: Path, name: str) -> str:
    """File, line and id of an entry, for messages."""
    line = line_of(path, "id", name) or line_of(path, "run", name, last=True)  # claims cite runs, and come before
    return f"{FILE}:{line}: {name}" if line else f"{FILE}: {name}"


def _name(path: Path, kind: type, raw: Any, key: str) -> str:
    name = raw.get(key) if isinstance(raw, dict) else None
    if not isinstance(name, str):
        msg = f"{path}: a [[{kind.__name__.lower()}]] has no {key}"
        raise InputError(msg)
    return name


def _keep(entries: Entries, kind: type[Claim | Computed | Discard], raw: Any, name: str, path: Path) -> None:
    try:
        entry = kind.model_validate(raw)
        if name in entries.claims or name in entries.discards:
            msg = "this id is there twice"
            raise InputError(msg)  # noqa: TRY301  # every fault of an entry takes the same way out
        _require_sound(entry)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        entries.faults[name] = f"{place(path, name)}: {where}: {fault['msg'].removeprefix('Value error, ')}"
    except InputError as error:
        entries.faults[name] = f"{place(path, name)}: {error}"
    else:
        if isinstance(entry, Discard):
            entries.discards[name] = entry
        else:
            entries.claims[name] = entry


def _require_sound(entry: Numbered | Discard) -> None:
    """What can be told without a run."""
    if isinstance(entry, Claim):
        check_where(entry.estimate, entry.where)
        if entry.plan is not None and entry.run is not None:
            msg = f"it names the plan {entry.plan} and the run {entry.run}: take one of them away"
            raise InputError(msg)
    if isinstance(entry, Computed):
        find_formula(entry.formula, entry.inputs)
    if not isinstance(entry, Discard) and entry.holds is not None:
        parse_holds(entry.holds)
