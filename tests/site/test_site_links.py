"""Links of a built site, followed as under a sub-path of some host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.site.built import read_site
from speclab.site.sitelinks import link_faults

if TYPE_CHECKING:
    from pathlib import Path

HOME = "https://speclab.example/lab/"


def faults(site: Path, body: str) -> list[str]:
    (site / "deep").mkdir()
    (site / "index.html").write_text('<h1 id="top">x</h1><h2 id="é b">y</h2>', encoding="utf-8")
    (site / "file.json").write_text("{}", encoding="utf-8")
    (site / "deep" / "a.html").write_text(f'<p id="here"></p>{body}', encoding="utf-8")
    return link_faults(site, read_site(site), HOME)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="../index.html#top">',
        '<a href="../index.html#%C3%A9%20b">',
        '<a href="..">',
        '<a href="#here">',
        '<a href="../file.json">',
        '<a href="/lab/index.html">',
        '<a href="https://elsewhere.example/x">',
        '<a href="mailto:a@b.example">',
        '<img src="data:image/png;base64,AA==">',
        '<link rel="canonical" href="https://speclab.example/lab/deep/a.html">',
    ],
)
def test_links_that_lead_somewhere(tmp_path: Path, body: str) -> None:
    """Relative, to an anchor, to the folder's index, within the sub-path, or to another host by choice."""
    assert faults(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="b.html">', "there is no such file"),
        ('<a href="../index.html#nowhere">', "index.html has no such anchor"),
        ('<a href="#nowhere">', "deep/a.html has no such anchor"),
        ('<a href="/index.html">', "leaves the sub-path /lab/"),
        ('<a href="../../index.html">', "leaves the sub-path /lab/"),
        ('<script src="https://cdn.example/x.js">', "fetched from a network"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "fetched from a network"),
        ('<img src="x.png">', "there is no such file"),
    ],
)
def test_links_that_do_not(tmp_path: Path, body: str, fault: str) -> None:
    """Each with its page and its address."""
    (found,) = faults(tmp_path, body)
    assert found.startswith("deep/a.html: <")
    assert found.endswith(fault)


def test_no_site_is_one_clear_line(tmp_path: Path) -> None:
    """The message says what to do."""
    with pytest.raises(InputError, match="run `mkdocs build` first"):
        read_site(tmp_path)
