"""From a number to its text. Rounding happens here, once, and nowhere before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Unit

NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
MINUS: Final = "\N{MINUS SIGN}"

# For each unit of an estimate, the units it can be shown in and the factor to them. `%` is part of the number's
# own format (`.0%`) and belongs to pure numbers alone.
SHOWN_AS: Final[dict[Unit, dict[str, float]]] = {
    "ratio": {"×": 1.0},
    "share": {},
    "count": {},
    "tokens": {"tokens": 1.0, "million": 1e-6},
    "tokens/s": {"tokens/s": 1.0},
    "ms": {"ms": 1.0, "s": 1e-3, "µs": 1e3},
    "bytes": {"B": 1.0, "kB": 1e-3, "MB": 1e-6, "GB": 1e-9, "KiB": 2.0**-10, "MiB": 2.0**-20, "GiB": 2.0**-30},
    "minutes": {"min": 1.0, "s": 60.0, "h": 1 / 60},
    "logits": {},
    "per logit": {},
}
_FORMAT = re.compile(r"(?P<spec>,?\.(?P<places>[0-6])(?P<type>[f%e]))(?: (?P<unit>\S+))?")


@dataclass(frozen=True, slots=True)
class Format:
    """How one number is shown.

    Attributes:
        spec: As in Python's format language, of the forms `.2f`, `,.0f`, `.1%`, `.0e`.
        factor: From the estimate's unit to the shown one.
        unit: What stands behind the number, or nothing.
    """

    spec: str
    factor: float
    unit: str

    def show(self, number: float) -> str:
        """The text of a number, rounded to the places that the format names."""
        text = format(number * self.factor, self.spec)
        if not re.search("[1-9]", text):
            text = text.removeprefix("-")  # what rounds to zero has no sign
        if self.spec.endswith("%"):
            text = text.removesuffix("%") + NO_BREAK_SPACE + "%"
        text = text.replace("-", MINUS) if text.startswith("-") else text
        return f"{text}{NO_BREAK_SPACE}{self.unit}" if self.unit else text


def parse_format(text: str, unit: Unit) -> Format:
    """Read the format of a claim, for instance `.2f`, `.0%` or `.1f GB`.

    Args:
        text: A number format, and after one space the unit to show.
        unit: The unit of the estimate.

    Raises:
        InputError: When it is none of these forms, or the unit is not one in which the estimate can be shown.
    """
    match = _FORMAT.fullmatch(text)
    if match is None:
        msg = f"format {text!r} is none of `.2f`, `,.0f`, `.0%`, `.1e`, each with at most 6 places, or `.1f GB`"
        raise InputError(msg)
    shown = match["unit"] or ""
    if match["type"] == "%" and (unit not in {"ratio", "share"} or shown):
        msg = f"format {text!r} shows per cent, which a value in {unit} is not; only ratios and shares are"
        raise InputError(msg)
    if shown and shown not in SHOWN_AS[unit]:
        ways = ", ".join(SHOWN_AS[unit]) or "no unit at all"
        msg = f"format {text!r}: a value in {unit} cannot be shown in {shown!r}; it takes {ways}"
        raise InputError(msg)
    return Format(match["spec"], SHOWN_AS[unit][shown] if shown else 1.0, shown)
