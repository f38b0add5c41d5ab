"""From an address to what a page shows of it: the number's text, and the attributes of its link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import CheckError
from speclab.evidence.checks import broken_holds
from speclab.evidence.estimates.pooling import CONFIDENCE
from speclab.site.building import current

if TYPE_CHECKING:
    from speclab.evidence.values import Value


def bound(address: str) -> tuple[dict[str, str], str]:
    """A number as the pages show it.

    Args:
        address: What stands between `[=` and `]`.

    Returns:
        The attributes of its link, and its text.

    Raises:
        InputError: When nothing stands at that address, or its run is missing or discarded.
        CheckError: When the wording that leans on it no longer holds.
    """
    register = current().register
    value, part = register.cite(address)
    shown = value.show(part)
    if fault := broken_holds(register, value.address):
        raise CheckError(fault)
    attributes = {
        "href": f"/evidence/register.md#{value.address}",
        "data-claim": value.address,
        "class": value.value_class,
        "title": about(value),
    }
    if part != "value":
        attributes["data-part"] = part
    return attributes, shown


def about(value: Value) -> str:
    """What a number is, how sure, of which class and where from, in one line."""
    parts = [value.says, value.value_class]
    if interval := value.interval():
        parts.append(f"{100 * CONFIDENCE:.0f} % interval {interval}")
    elif value.reason:
        parts.append(value.reason)
    if value.n is not None and value.low is not None:
        parts.append(f"n = {value.n} {value.of}")
    parts.append(f"run {value.run}" if value.run else value.source)
    return "; ".join(parts)
