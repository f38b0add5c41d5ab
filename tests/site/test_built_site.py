"""The real pages with a simulated run: they build, say what the run says, and pass every check."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from small_site import NASTY, RUN, build, replace
from speclab.evidence.register import Register
from speclab.site.check import check

if TYPE_CHECKING:
    from pathlib import Path

    from small_site import Built


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


def test_it_builds_without_torch(built: Built) -> None:
    """Strictly, from another folder, with nothing to warn of."""
    assert built.said.returncode == 0, built.said.stderr
    assert "no torch" in built.said.stderr
    assert "WARNING" not in built.said.stderr


def test_every_check_passes(built: Built) -> None:
    """The gate finds nothing."""
    assert check(built.site, built.root) == []


def test_the_same_bytes_from_any_folder(built: Built, tmp_path: Path) -> None:
    """A second build, from another folder, writes the very same files."""
    again = tmp_path / "again"
    said = build(built.root, cwd=built.root / "docs", site=again)
    assert said.returncode == 0, said.stderr
    files = {path.relative_to(built.site): path.read_bytes() for path in built.site.rglob("*") if path.is_file()}
    others = {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert [name for name in files | others if files.get(name) != others.get(name)] == []


def test_model_text_is_shown_and_neither_read_nor_run(built: Built) -> None:
    """Tags, a fence to execute, a number to bind and a turning mark are all characters in a cell."""
    shown = NASTY.replace(" ", "␣").replace("\n", "\\n").replace("\u202e", "\\u202e")
    reached = {
        f"evidence/runs/{RUN}.html": ("First differences", "Constructed ties"),
        "chapter/greedy.html": ("First differences", "Constructed ties"),
    }
    for name, captions in reached.items():
        soup = page(built.site, name)
        for caption in captions:
            table = next(tag for tag in soup.find_all("table") if caption in tag.get_text())
            assert shown in [tag.get_text() for tag in table.select("code.piece")]
            assert len({len(row.find_all(["th", "td"])) for row in table.find_all("tr")}) == 1


def test_no_page_acts_on_what_a_model_wrote(built: Built) -> None:
    """No script of its making on any page or among what the search shows; a piece holds characters alone."""
    assert "<script" not in (built.site / "search" / "search_index.json").read_text(encoding="utf-8")
    for path in built.site.rglob("*.html"):
        soup = page(built.site, str(path))
        assert not [tag for tag in soup.find_all("script") if "alert" in tag.get_text()], path
        for tag in soup.select("code.piece"):
            assert tag.find(True) is None, path
            assert tag.get_text() != "42", path


def test_numbers_say_what_the_register_says(built: Built) -> None:
    """Each bound number has the register's text, its class, and a tooltip that names the run."""
    register = Register(built.root)
    tags = page(built.site, "chapter/speed.html").select("a[data-claim]")
    assert len(tags) > 50
    for tag in tags:
        address = ".".join(str(tag[name]) for name in ("data-claim", "data-part") if tag.has_attr(name))
        value, _ = register.cite(address)
        assert tag.get_text() == register.show(address)
        assert tag["class"] == [value.value_class]
        assert value.run is None or value.run in str(tag["title"])


def test_the_register_names_the_pages_that_use_a_number(built: Built) -> None:
    """From a number to its line, from there to the run and to every page that uses it."""
    soup = page(built.site, "evidence/register.html")
    row = next(tag for tag in soup.find_all("tr") if tag.find(id="c"))
    targets = {str(tag["href"]) for tag in row.find_all("a")}
    assert {f"runs/{RUN}.html", "../chapter/pass.html", "../index.html"} <= targets
    assert "../chapter/sampling.html" not in targets


def test_raw_rows_are_offered_as_they_were_measured(built: Built) -> None:
    """The file to download is the run's own."""
    offered = built.site / "evidence" / "runs" / RUN / "results.json"
    assert offered.read_bytes() == (built.root / "research" / "runs" / RUN / "results.json").read_bytes()


def test_nothing_is_fetched_from_a_network(built: Built) -> None:
    """No page names another host as the source of a script, style, font or picture."""
    for path in built.site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|iframe)[^>]+src="?(https?:[^"\s>]+)', path.read_text(encoding="utf-8")
        )
        assert fetched == [], path


def test_planted_faults_are_found_in_the_html(built: Built, tmp_path: Path) -> None:
    """Each rule of the gate names the page, and the line and id where there are any."""
    site = tmp_path / "site"
    root = tmp_path / "root"
    shutil.copytree(built.site, site)
    shutil.copytree(built.root, root, ignore=shutil.ignore_patterns("site"))
    home = site / "index.html"
    register = root / "research" / "register.toml"
    planted = (
        "<p>Traceback (most recent call last)</p><p>python exec=yes</p><p>[=speed.k2]</p>"
        '<p id="twice"></p><p id="twice"></p><a href="nowhere.html">x</a><a href="this-machine.html#nowhere">x</a>'
        '<a href="/elsewhere.html">x</a><img src="https://cdn.example/x.png"><b class="fault">a fault</b>'
        '<a data-claim="speed.nothing" href="evidence/register.html">1.00</a>'
        '<svg aria-labelledby="unnamed"></svg><i title="[=c]"></i><span class="said">exec=yes [=c]</span></body>'
    )
    replace(home, "</body>", planted)
    (site / "this-machine.html").rename(site / "that-machine.html")
    replace(root / "docs" / "evidence" / "how-we-measure.md", "# How", "```python exec=yes\nprint(1)\n```\n# How")
    replace(root / "docs" / "evidence" / "how-we-measure.md", "[=noise]", "[=noise.low]")
    entry = '\n[[claim]]\nid = "idle"\nsays = "x"\nestimate = "cost_ratio"\nformat = ".2f"\n'
    register.write_text(register.read_text(encoding="utf-8") + entry, encoding="utf-8")
    line = register.read_text(encoding="utf-8").split("\n").index('id = "idle"') + 1
    found = "\n".join(check(site, root))
    for expected in (
        "index.html: a traceback was published",
        "index.html: a block was shown and not executed",
        "index.html: a number was not put in",
        "index.html: the id 'twice' is there 2 times",
        "index.html: <a> 'nowhere.html': there is no such file",
        "index.html: <a> '/elsewhere.html': leaves the sub-path /lab/",
        "index.html: <img> 'https://cdn.example/x.png': fetched from a network",
        "index.html: <svg> is labelled by 'unnamed', which is not there",
        "index.html: a number was not put in, in an attribute of <i>",
        "index.html: a fault",
        "this-machine.md: it was not built",
        "docs/evidence/how-we-measure.md:1: executed block: write",
        "docs/index.md: speed.nothing: unknown id speed.nothing",
        f"research/register.toml:{line}: idle: no page uses this claim",
    ):
        assert expected in found
