"""Formulas become MathML when a page is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown

from speclab.site.building import begin


def built(text: str) -> BeautifulSoup:
    return BeautifulSoup(Markdown(extensions=["speclab.site.mathematics", "tables"]).convert(text), "html.parser")


def test_inline_and_display() -> None:
    """One in a line, one on its own and outside any paragraph."""
    soup = built("where $k c + v(k+1)$ counts\n\n$$\n\\frac{1-\\alpha^{k+1}}{1-\\alpha}\n$$\n")
    inline, display = soup.find_all("math")
    assert (inline["display"], display["display"]) == ("inline", "block")
    assert inline.parent is not None
    assert inline.parent.name == "p"
    assert display.parent is soup
    assert display.find("mfrac") is not None
    assert "$" not in soup.get_text()


@pytest.mark.parametrize("text", ["`$x$`", "5$ and 6$", "\\$x\\$", "a $ b $ c", "costs $5"])
def test_what_is_no_formula_stays(text: str) -> None:
    """Code, prices and escaped signs are left alone."""
    assert built(text).find("math") is None


@pytest.mark.parametrize("formula", ["$x^2^3$", "$\\nocommand x$"])
def test_a_broken_formula_is_a_fault_with_its_line(formula: str) -> None:
    """Shown in its place, and noted with page and line."""
    building = begin(Path())
    building.read("docs/x.md", f"one\n\ntwo {formula} three")
    soup = built(building.source)
    assert soup.find(class_="fault") is not None
    assert [(each.page, each.line) for each in building.faults] == [("docs/x.md", 3)]
