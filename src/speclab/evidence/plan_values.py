"""What the plan of a run laid down: `plan.…` addresses, for instance `plan.main.new_tokens`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from speclab.errors import InputError
from speclab.evidence.values import Value
from speclab.records.base import Record

if TYPE_CHECKING:
    from speclab.records.plan import Plan

TABLES: Final = ("pair", "timing", "speed", "traces", "divergence", "distribution", "disagreement", "margins")
"""Parts of a plan whose keys can be named without the part."""


def plan_value(address: str, plan: Plan, *, source: str, run: str | None) -> Value:
    """What a plan says under a key.

    Args:
        address: `plan.<name or main>.<key>`; the key alone, or with the part of the plan before it.
        plan: The plan meant.
        source: Where it was read.
        run: The run that was made by it, or None.

    Raises:
        InputError: When the plan has no such key; names those it has.
    """
    path = address.split(".")[2:]
    found = _inside(plan, path)
    if found is None and len(path) == 1:
        inside = (_inside(plan, [table, *path]) for table in TABLES)
        found = next((each for each in inside if each is not None), None)
    if found is None or isinstance(found, Record):
        table = found or plan
        keys = [*type(table).model_fields]
        msg = f"{address} is nothing that the plan {plan.name} lays down; there are: {', '.join(keys)}"
        raise InputError(msg)
    number, text = _shown(found)
    return Value(
        address=address,
        says=f"plan {plan.name}: {' '.join(path).replace('_', ' ')}",
        value_class="given",
        value=number,
        text=text,
        unit="count",
        reason=f"laid down by the plan {plan.name} before the run",
        run=run,
        plan=plan.name,
        source=f"{source}, {'.'.join(path)}",
    )


def _inside(record: Record, path: list[str]) -> object:
    at: object = record
    for key in path:
        if not isinstance(at, Record) or key not in type(at).model_fields:
            return None
        at = getattr(at, key)
    return at


def _shown(found: object) -> tuple[float | None, str]:
    """The number that a setting is, if it is one, and its text; of a list of names the number is what counts."""
    if isinstance(found, tuple):
        if not all(isinstance(each, int) for each in found):
            return float(len(found)), str(len(found))
        words = [str(each) for each in found]
        return None, " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    if isinstance(found, int):
        return float(found), f"{found:,}"
    if isinstance(found, float):
        return found, f"{found:g}"
    return None, str(found)
