"""The site as it was built: every HTML file, parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from speclab.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from bs4 import Tag


@dataclass(frozen=True)
class BuiltPage:
    """One HTML file.

    Attributes:
        path: Relative to the site, with slashes.
        html: As it was written.
    """

    path: str
    html: str

    @property
    def source(self) -> str:
        """The Markdown file that it was made from, relative to `docs`; only `404.html` has none."""
        return self.path.removesuffix(".html") + ".md"

    @cached_property
    def soup(self) -> BeautifulSoup:
        """Parsed."""
        return BeautifulSoup(self.html, "html.parser")

    @cached_property
    def ids(self) -> list[str]:
        """Every id, in order; a link can lead to each."""
        return [str(tag["id"]) for tag in self.soup.find_all(id=True)]

    @cached_property
    def prose(self) -> str:
        """What is neither code, nor script, nor a reason: the text that a reader takes for the page's own."""
        copy = BeautifulSoup(self.html, "html.parser")
        for tag in copy.select("code, pre, script, style, .said"):
            tag.decompose()
        return copy.get_text()

    def tags(self, css: str) -> list[Tag]:
        """Elements by CSS selector."""
        return list(self.soup.select(css))


def read_site(site: Path) -> dict[str, BuiltPage]:
    """Every HTML file of a built site, by its path.

    Raises:
        InputError: When there is no site.
    """
    if not (site / "index.html").is_file():
        msg = f"there is no built site at {site}: run `mkdocs build` first"
        raise InputError(msg)
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return {path: BuiltPage(path, (site / path).read_text(encoding="utf-8")) for path in found}
