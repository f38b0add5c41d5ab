"""Formulas as MathML, made when the page is built: `$…$` in a line, `$$…$$` on its own.

Nothing is loaded by the reader's browser, and nothing has to start again after a change of page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from latex2mathml.converter import convert
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from speclab.site.building import current

if TYPE_CHECKING:
    import re
    from xml.etree.ElementTree import Element

    from markdown import Markdown

DISPLAY = r"(?<!\\)\$\$(?P<tex>[^$]+)\$\$"
INLINE = r"(?<![\\\w$])\$(?P<tex>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)"


class Formula(InlineProcessor):
    """One formula, stored as finished HTML."""

    def __init__(self, pattern: str, md: Markdown, *, display: bool) -> None:
        super().__init__(pattern, md)
        self.display = display

    # Markdown's own signature names a wider match type than the one it passes.
    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[Element | str, int, int]:
        """Convert the match; a formula that cannot be read is a fault of the page."""
        del data
        tex = " ".join(m["tex"].split())
        try:
            made = convert(tex, display="block" if self.display else "inline")
        except Exception as error:  # noqa: BLE001 - the converter raises many kinds, all about this formula
            made = current().report(m[0], f"not a formula that can be read ({type(error).__name__})")
        if "\\" in made:
            made = current().report(m[0], "holds a command that has no MathML")
        return self.md.htmlStash.store(made), m.start(0), m.end(0)


class Mathematics(Extension):
    """Adds both kinds of formulas, after code and before everything else that has a backslash."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register with Markdown."""
        md.inlinePatterns.register(Formula(DISPLAY, md, display=True), "display_formula", 187)
        md.inlinePatterns.register(Formula(INLINE, md, display=False), "inline_formula", 186)


def makeExtension(**options: object) -> Mathematics:  # noqa: N802
    """What Markdown calls when the extension is named in `mkdocs.yml`."""
    return Mathematics(**options)
