"""Which page uses which number, read from the HTML, and what is wrong with that."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.claims import PARTS
from speclab.evidence.holds import parse_holds
from speclab.site.bound import bound
from speclab.site.building import current, shown_fault
from speclab.site.html import Html, link
from speclab.site.sources import uses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from speclab.evidence.entries import Numbered
    from speclab.site.built import BuiltPage

REGISTER_PAGE = "evidence/register.html"
# Nothing that a run made can look like this: its quotes are escaped.
_CLAIM = re.compile(r'<a\s[^>]*data-claim="([^"]+)"')
_PLACE = re.compile(r'<span data-uses="([^"]+)"></span>')
_UNUSED = "no page uses this claim: use it, or take it out of the register"


def place_for_uses(claim_id: str) -> Html:
    """Where the pages that use a number are named once all of them have been read."""
    return Html(f'<span data-uses="{claim_id}"></span>')


def fill_in_uses(pages: Mapping[str, tuple[str, str]]) -> str:
    """The HTML of the register's page, with the pages that use each number named there.

    A preview shows there which claims no page uses; a build leaves them to `use_faults`.

    Args:
        pages: By the path of each built page, the register's too: its title and its HTML.
    """
    used: dict[str, list[str]] = {}
    for path, (title, html) in pages.items():
        for claim_id in dict.fromkeys(_claims(html)):
            address = posixpath.relpath(path, posixpath.dirname(REGISTER_PAGE))
            used.setdefault(claim_id, []).append(link(address, title))
    register_page = pages[REGISTER_PAGE][1]
    shown = {}
    # Without such a place the register may not even be readable.
    if current().serving and _PLACE.search(register_page):
        shown = {claim_id: shown_fault(claim_id, _UNUSED) for claim_id in _unused(used)}
    return _PLACE.sub(lambda m: ", ".join(used.get(m[1], ())) or shown.get(m[1], "no page"), register_page)


def unused(pages: Mapping[str, str]) -> list[str]:
    """One line for each claim that no page uses, with its line in the register.

    Args:
        pages: The HTML of each page.
    """
    used = {claim_id for html in pages.values() for claim_id in _claims(html)}
    return [f"{current().register.place(claim_id)}: {_UNUSED}" for claim_id in _unused(used)]


def use_faults(built: Mapping[str, BuiltPage], written: Mapping[str, str]) -> list[str]:
    """Numbers in the built pages that the register does not stand behind, and claims that no page uses.

    Args:
        built: The built pages.
        written: The Markdown of the pages written by hand, by path; lines are looked up there.
    """
    faults = []
    for page in built.values():
        for tag in page.tags("a[data-claim]"):
            claim_id, part = str(tag["data-claim"]), str(tag.get("data-part", ""))
            address = f"{claim_id}.{part}" if part else claim_id
            fault = _fault(address, tag.get_text())
            if fault:
                faults.append(f"{_where(page.source, address, written)}: {address}: {fault}")
    return faults + unused({path: page.html for path, page in built.items()})


def _fault(address: str, shown: str) -> str | None:
    try:
        _, text = bound(address)
    except (CheckError, InputError) as error:
        return str(error)
    return None if text == shown else f"the page shows {shown}, the register says {text}: build it again"


def _where(source: str, address: str, written: Mapping[str, str]) -> str:
    page = f"docs/{source}"
    lines = [use.line for use in uses(page, written.get(page, "")) if use.address == address]
    return f"{page}:{lines[0]}" if lines else page


def _unused(used: Collection[str]) -> list[str]:
    """Claims that neither a page nor another claim uses."""
    register = current().register
    inputs = {each for entry in register.claims.values() for each in _inputs(entry)}
    return [
        claim_id
        for claim_id in (*register.claims, *register.faults)
        if claim_id not in used and claim_id not in inputs and claim_id not in register.discards
    ]


def _claims(html: str) -> Iterator[str]:
    return (match[1] for match in _CLAIM.finditer(html))


def _inputs(entry: Numbered) -> Iterator[str]:
    """Claims that a computed value, or a condition, leans on; they are used by it."""
    cited = [each for each in getattr(entry, "inputs", {}).values() if isinstance(each, str)]
    if entry.holds is not None:
        cited += parse_holds(entry.holds).refers_to
    for each in cited:
        claim_id, _, last = each.rpartition(".")
        yield claim_id if last in PARTS else each
