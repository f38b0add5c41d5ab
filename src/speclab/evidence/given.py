"""Numbers that are given and not measured: `given.…` from `research/given.toml`, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationError

from speclab.errors import InputError
from speclab.evidence.documents import line_of, read_toml
from speclab.evidence.estimates.estimate import Unit
from speclab.evidence.format import parse_format
from speclab.evidence.values import Value
from speclab.records.base import Record

if TYPE_CHECKING:
    from pathlib import Path

FILE = "research/given.toml"


class Given(Record):
    """One given number.

    Attributes:
        id: The address behind `given.`.
        says: What it is, in words.
        value: The number.
        unit: Of the number.
        format: How it is shown.
        reason: Why it is given so.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$")]
    says: Annotated[str, Field(min_length=1)]
    value: float
    unit: Unit = "ratio"
    format: str
    reason: Annotated[str, Field(min_length=1)]


def read_given(repository: Path) -> dict[str, Value]:
    """Every given number by its address.

    Raises:
        InputError: With file, line and id, where an entry is not one or is there twice.
    """
    path = repository / FILE
    values: dict[str, Value] = {}
    for entry in read_toml(path).get("given", ()):
        name = str(entry.get("id")) if isinstance(entry, dict) else "?"
        place = f"{FILE}:{line_of(path, 'id', name) or 1}: given.{name}"
        try:
            given = Given.model_validate(entry)
            parse_format(given.format, given.unit)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            msg = f"{place}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            raise InputError(msg) from None
        except InputError as error:
            msg = f"{place}: {error}"
            raise InputError(msg) from None
        address = f"given.{given.id}"
        if address in values:
            msg = f"{place} is there twice"
            raise InputError(msg)
        values[address] = Value(
            address=address,
            says=given.says,
            value_class="given",
            value=given.value,
            unit=given.unit,
            format=given.format,
            reason=given.reason,
            source=f"{FILE}, {given.id}",
        )
    return values
