"""Numbers in prose: `[=claim.id]` becomes the number, linked to its line in the register.

Also `[=id.low]`, `.high` and `.n`, `[=reported.…]`, `[=given.…]` and `[=plan.…]`; in paragraphs, tables, captions
and headings (a heading that holds one names its own anchor, `{#id}`, so that its address survives a new run).
"""

from __future__ import annotations

import re
from html import escape as quote
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.util import AtomicString

from speclab.errors import CheckError, InputError
from speclab.site.bound import bound
from speclab.site.building import current
from speclab.site.sources import MARK

if TYPE_CHECKING:
    from markdown import Markdown

_ABSOLUTE = re.compile(r'(?<=\shref=")/[^"]*')


class Numbers(InlineProcessor):
    """One number asked for in prose."""

    # Markdown's own signature names a wider match type than the one it passes.
    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[Element | str, int, int]:
        """The number as a link, or the fault in its place."""
        del data
        address = m["address"]
        try:
            attributes, text = bound(address)
        except (CheckError, InputError) as error:
            shown = current().report(m[0], str(error))
            return self.md.htmlStash.store(shown), m.start(0), m.end(0)
        element = Element("a", attributes)
        element.text = AtomicString(text)
        return element, m.start(0), m.end(0)


class AbsoluteLinks(Postprocessor):
    """Let mkdocs resolve and check the links that executed blocks printed, as it does those of the prose."""

    def run(self, text: str) -> str:
        """Make each `/page.md#anchor` relative to the page."""
        # mkdocs puts its own processor there when it renders a page.
        if "relpath" not in self.md.treeprocessors:
            return text
        resolve = self.md.treeprocessors["relpath"].path_to_url  # type: ignore[attr-defined]
        return _ABSOLUTE.sub(lambda m: resolve(m[0]), text)


class NumbersExtension(Extension):
    """Numbers in prose, after code and formulas and before links."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register with Markdown."""
        md.inlinePatterns.register(Numbers(MARK.pattern, md), "numbers", 175)
        # After the stashed HTML came back.
        md.postprocessors.register(AbsoluteLinks(md), "absolute_links", 15)


def number(address: str) -> str:
    """The same link as HTML, for captions and tables that a function makes.

    Args:
        address: What would stand between `[=` and `]`.
    """
    attributes, text = bound(address)
    written = " ".join(f'{key}="{quote(each)}"' for key, each in attributes.items())
    return f"<a {written}>{quote(text)}</a>"


def makeExtension(**options: object) -> NumbersExtension:  # noqa: N802
    """What Markdown calls when the extension is named in `mkdocs.yml`."""
    return NumbersExtension(**options)
