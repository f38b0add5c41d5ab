"""A number with everything a reader may ask of it: what it is, how sure, of which class, and where from."""

from __future__ import annotations

from typing import Literal, TypeAlias

from speclab.errors import InputError
from speclab.evidence.estimates.estimate import Unit, ValueClass
from speclab.evidence.format import parse_format
from speclab.records.base import Record

Part: TypeAlias = Literal["value", "low", "high", "n"]


class Value(Record):
    """What an address stands for.

    Attributes:
        address: As the pages write it between `[=` and `]`.
        says: What it is, in words.
        value_class: Measured, computed, reported or given.
        value: The number, unrounded; None where `text` alone is shown, or where `reason` says why there is none.
        text: What is shown as it stands: a reported figure with its printed digits, a given word or list.
        low: Lower end of the 95 % interval, or None.
        high: Upper end, or None.
        n: What the interval counts as independent, or None where nothing is counted.
        of: What `n` counts.
        unit: Of the numbers.
        format: How they are shown; None where `text` is.
        reason: Why there is no interval or no value; for a given number, why it is given so.
        run: Run that it was computed from, or None.
        plan: Plan of that run, or None.
        source: Where it stands: a path in the repository, and the place in that file.
        inputs: Addresses that a computed value follows from.
    """

    address: str
    says: str
    value_class: ValueClass
    value: float | None = None
    text: str | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    of: str = "prompts"
    unit: Unit = "ratio"
    format: str | None = None
    reason: str | None = None
    run: str | None = None
    plan: str | None = None
    source: str
    inputs: tuple[str, ...] = ()

    def number(self, part: Part = "value") -> float:
        """The unrounded number.

        Raises:
            InputError: When there is none, with the reason.
        """
        found: float | None = getattr(self, part)
        if found is None:
            msg = f"{self.address} has no {part}: {self.reason or 'it is shown as it stands'}"
            raise InputError(msg)
        return found

    def show(self, part: Part = "value") -> str:
        """The text of a part, rounded here and nowhere before.

        Raises:
            InputError: When there is no such part, with the reason.
        """
        if part == "n":
            return f"{self.number('n'):.0f}"
        if part == "value" and self.text is not None:
            return self.text
        number = self.number(part)
        return str(number) if self.format is None else parse_format(self.format, self.unit).show(number)

    def interval(self) -> str | None:
        """Both ends in one text, or None where there is no interval."""
        return None if self.low is None else f"{self.show('low')} to {self.show('high')}"
