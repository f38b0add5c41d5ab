"""Every number of the built pages is listed with where it comes from."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from small_site import RUN
from speclab.site.listing import Listed, listing

if TYPE_CHECKING:
    from small_site import Built

CHAPTER = "chapter/pass.html"


def test_each_bound_number_has_its_line(built: Built) -> None:
    """As often as the pages show it, with its address, its class and its run."""
    listed = list(listing(built.site, built.root))
    for page in (CHAPTER, "index.html", "evidence/exactness.html"):
        soup = BeautifulSoup((built.site / page).read_text(encoding="utf-8"), "html.parser")
        shown = [tag.get_text() for tag in soup.select("a[data-claim]")]
        assert [each.shown for each in listed if each.page == page and each.source.startswith("[=")] == shown
    [cost] = [each for each in listed if each.page == CHAPTER and each.source.startswith("[=c.low]")]
    assert "cost ratio c" in cost.source
    assert "measured; 95 % interval" in cost.source
    assert cost.source.endswith(f"run {RUN}")


def test_each_block_names_its_run(built: Built) -> None:
    """Whatever a table or figure shows comes from one run: the chapter's, or that of the plan it asks for."""
    blocks = {
        each.source.partition(",")[0]: each
        for each in listing(built.site, built.root)
        if each.page in {"chapter/speed.html", "evidence/exactness.html"} and not each.source.startswith("[=")
    }
    assert blocks["tables.speedups"].source == f"tables.speedups, run {RUN}"
    assert blocks["tables.exactness_right"].source == f"tables.exactness_right, run {RUN}"
    assert int(blocks["tables.speedups"].shown.split()[0]) > 10


def test_the_command_prints_a_line_a_number(built: Built) -> None:
    """And says in one line where there is no site."""
    command = [sys.executable, "-m", "speclab.site.listing"]
    said = subprocess.run([*command, "site"], cwd=built.root, capture_output=True, encoding="utf-8", check=True)
    assert len(said.stdout.splitlines()) == len(list(listing(built.site, built.root)))
    assert str(Listed("a.html", "2", "x")) == "a.html: 2: x"
    none = subprocess.run(
        [*command, "nowhere"], cwd=built.root, capture_output=True, encoding="utf-8", check=False
    )
    assert none.returncode == 1
    assert "there is no built site at nowhere" in none.stderr
