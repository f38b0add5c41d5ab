"""What a preview does otherwise than a build: it forgives, and renders a page only where something changed."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jinja2 import FileSystemBytecodeCache
from markdown_exec._internal.formatters import python
from mkdocs.utils import CountHandler

from speclab.site.answers import Answers
from speclab.site.kept import Kept

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from speclab.site.building import Building

_TRACEBACK = "Traceback (most recent call last)"
"""What a page shows where its code failed."""
_DOCUMENTED = re.compile(r"^::: speclab\.(\w+)", re.MULTILINE)


def forgive_warnings() -> None:
    """Let no warning end a preview: take away what counts them for the strict mode."""
    mkdocs = logging.getLogger("mkdocs")
    for handler in [each for each in mkdocs.handlers if isinstance(each, CountHandler)]:
        mkdocs.removeHandler(handler)


def keep(building: Building, last: Building | None) -> None:
    """Let a rebuild take over what nothing changed of.

    Args:
        building: That rebuild.
        last: The one before, where there was one.
    """
    before = {} if last is None or last.kept is None else last.kept.made
    building.kept = Kept(Answers(building), before)
    # What the code of a page defined lives on otherwise, and hides that it is no longer defined.
    python._sessions_globals.clear()  # noqa: SLF001 - there is no other way


@dataclass
class Rendered:
    """What rendering a page leaves in it.

    Attributes:
        content: HTML, at last with the references between pages filled in.
        toc: Its headings.
        title: Its title.
        anchors: What can be linked to.
        links: Anchors that it links to, by the path of their page.
    """

    content: str | None
    toc: Any
    title: str
    anchors: set[str] | None
    links: dict[str, dict[str, str]]

    def put(self, page: Page, files: Files) -> None:
        """Put it in another object of the same page."""
        page.content, page.toc, page.title, page.present_anchor_ids = (
            self.content,
            self.toc,
            self.title,
            self.anchors,
        )
        found = ((files.get_file_from_path(path), links) for path, links in self.links.items())
        page.links_to_anchors = {file: links for file, links in found if file is not None}


def render_once(page: Page, markdown: str, building: Building, files: Files) -> None:
    """Have a page rendered only where its text, or an answer that it rests on, changed.

    Args:
        page: Before it is rendered.
        markdown: Its text.
        building: A preview's.
        files: Of the site; which there are decides about links.
    """
    kept = building.kept
    assert kept is not None, "a preview keeps"  # noqa: S101
    name = _name("page", page, markdown, repr(page.meta), *(file.src_uri for file in files))
    documented = sorted(set(_DOCUMENTED.findall(markdown)))
    render = page.render

    def rendered(config: MkDocsConfig) -> Rendered:
        kept.ask("code")
        for room in documented:
            kept.ask("package", room)
        render(config, files)
        if _TRACEBACK in (page.content or ""):
            kept.spoil()
        links = {file.src_uri: links for file, links in (page.links_to_anchors or {}).items()}
        return Rendered(page.content, page.toc, str(page.title), page.present_anchor_ids, links)

    def render_or_take(config: MkDocsConfig, files: Files) -> None:
        building.rendered[page.file.src_uri] = kept.get(name, lambda: rendered(config))
        building.rendered[page.file.src_uri].put(page, files)
        if documented:  # what the functions' page looks like comes from this handler, rendered or not
            config.plugins["mkdocstrings"].get_handler("python")  # type: ignore[attr-defined]

    page.render = render_or_take  # type: ignore[method-assign]


def settle(building: Building, files: Files, config: MkDocsConfig, env: Environment) -> None:
    """Note what became of each page since it was rendered: references between pages are filled in last.

    Then see to it that templates are compiled, and pages are searched through, only where they changed.
    """
    env.bytecode_cache = FileSystemBytecodeCache()
    _index_once(building, config.plugins["material/search"].search_index)  # type: ignore[attr-defined]
    for file in files.documentation_pages():
        if file.page is not None and file.src_uri in building.rendered:
            building.rendered[file.src_uri].content = file.page.content


def _index_once(building: Building, index: Any) -> None:
    """Have a page's text taken into the search only where the page changed: that is slow."""
    kept = building.kept
    assert kept is not None, "a preview keeps"  # noqa: S101
    add = index.add_entry_from_context

    def added(page: Page) -> list[object]:
        before = len(index.entries)
        add(page)
        entries: list[object] = index.entries[before:]
        del index.entries[before:]
        return entries

    def add_once(page: Page) -> None:
        said = (page.url, str(page.title), repr(page.meta), page.content or "")
        index.entries += kept.get(_name("searched", page, *said), lambda: added(page))

    index.add_entry_from_context = add_once


def _name(what: str, page: Page, *of: str) -> str:
    return f"{what} {page.file.src_uri} {hashlib.sha256(chr(0).join(of).encode()).hexdigest()}"
