"""What the wording around a number leans on: parsed, never run as code."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Estimate
    from speclab.evidence.values import Value

Part: TypeAlias = Literal["value", "low", "high"]
Sign: TypeAlias = Literal["<", "<=", ">", ">="]
Lookup: TypeAlias = Callable[[str], float]
"""From a claim's id, with `.low` or `.high` where an end is meant, to its number."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_ID = r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*"
_BOUND = rf"{_NUMBER}|{_ID}"
_COMPARISON = re.compile(rf"(value|low|high)\s*(<=|>=|<|>)\s*({_BOUND})")
_BETWEEN = re.compile(rf"(value|low|high)\s+between\s+({_BOUND})\s+and\s+({_BOUND})")
_COMPARE: Final[dict[Sign, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Holds:
    """A condition on one number.

    Attributes:
        text: As written in the register.
        part: The end of the interval, or the value, that the condition is on.
        bounds: Comparisons with a number or with another claim's; all must hold.
    """

    text: str
    part: Part
    bounds: tuple[tuple[Sign, float | str], ...]

    @property
    def refers_to(self) -> tuple[str, ...]:
        """Ids of the other claims that it compares with."""
        return tuple(bound for _, bound in self.bounds if isinstance(bound, str))

    def fault(self, found: Estimate | Value, lookup: Lookup) -> str | None:
        """Why the condition does not hold, or None where it does.

        Args:
            found: The number under the condition, with its interval.
            lookup: Numbers of other claims.

        Raises:
            InputError: When another claim that it compares with has no number.
        """
        number: float | None = getattr(found, self.part)
        if number is None:
            return f"`{self.text}` cannot hold: there is no {self.part} ({found.reason})"
        for sign, bound in self.bounds:
            limit = lookup(bound) if isinstance(bound, str) else bound
            if not _COMPARE[sign](number, limit):
                behind = f" ({bound} is {limit:.6g})" if isinstance(bound, str) else ""
                interval = "no interval" if found.low is None else f"{found.low:.6g} to {found.high:.6g}"
                value = f"; the value is {found.value:.6g}, {interval}" if found.value is not None else ""
                return f"`{self.text}` no longer holds: {self.part} is {number:.6g}{behind}{value}"
        return None


def parse_holds(text: str) -> Holds:
    """Read a condition.

    Args:
        text: `(value|low|high) (<|<=|>|>=) BOUND`, or `(value|low|high) between BOUND and BOUND` with both ends
            allowed. A bound is a number or another claim's id, with `.low` or `.high` where an end is meant.

    Raises:
        InputError: When it is neither.
    """
    if match := _COMPARISON.fullmatch(text.strip()):
        part, sign, bound = match.groups()
        return Holds(text, cast("Part", part), ((cast("Sign", sign), _bound(bound)),))
    if match := _BETWEEN.fullmatch(text.strip()):
        part, low, high = match.groups()
        return Holds(text, cast("Part", part), ((">=", _bound(low)), ("<=", _bound(high))))
    msg = (
        f"holds = {text!r} is not a condition: write `low > 1`, `value <= other.claim.high` or "
        "`value between 0.9 and 1.1`"
    )
    raise InputError(msg)


def _bound(text: str) -> float | str:
    return float(text) if re.fullmatch(_NUMBER, text) else text
