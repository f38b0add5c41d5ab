"""Every link of the built site, followed as a browser would under a sub-path of some host."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bs4 import Tag

    from speclab.site.built import BuiltPage

# What the browser fetches to show a page; a link may lead elsewhere, these may not.
_FETCHED = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}


def link_faults(site: Path, pages: dict[str, BuiltPage], home: str) -> list[str]:
    """Links that lead nowhere, out of the sub-path, or to a network that may not be there.

    Args:
        site: The built site.
        pages: Its pages.
        home: The address that it is meant to be served at, with a sub-path.
    """
    found = []
    for page in pages.values():
        for tag, url, fetched in _urls(page):
            if fault := _fault(site, pages, home, page, url, fetched=fetched):
                found.append(f"{page.path}: <{tag.name}> {url!r}: {fault}")
    return found


def _urls(page: BuiltPage) -> Iterator[tuple[Tag, str, bool]]:
    """Each address on a page, and whether the browser fetches it to show the page."""
    for tag in page.soup.find_all(["a", "area", "use"], href=True):
        yield tag, str(tag["href"]), False
    for tag in page.soup.find_all("link", href=True):
        if _FETCHED & set(tag.get_attribute_list("rel")):
            yield tag, str(tag["href"]), True
    for tag in page.soup.find_all(src=True):
        yield tag, str(tag["src"]), True


def _fault(
    site: Path, pages: dict[str, BuiltPage], home: str, page: BuiltPage, url: str, *, fetched: bool
) -> str | None:
    parts = urlsplit(url)
    if parts.scheme in {"mailto", "data"}:
        return None
    target = urlsplit(urljoin(urljoin(home, page.path), url))
    if target.netloc != urlsplit(home).netloc:
        return "fetched from a network" if fetched else None
    base = urlsplit(home).path
    if not target.path.startswith(base):
        return f"leaves the sub-path {base}"
    path = unquote(target.path.removeprefix(base)) or "index.html"
    if not (site / path).is_file():
        return "there is no such file"
    if target.fragment and path in pages and unquote(target.fragment) not in pages[path].ids:
        return f"{path} has no such anchor"
    return None
