"""The register's section on disturbed blocks, as a page and as a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import RUN, adopt_run, copy_site, stand_beside
from speclab.evidence.register import Register
from speclab.records.reader import read_run
from speclab.records.rows import SpeedCell
from speclab.site.building import begin
from speclab.site.pages import generated_pages
from speclab.site.pages.disturbed import DISTURBED
from speclab.site.written import REGISTER, written
from synthetic import synthetic_plan, synthetic_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from bs4 import Tag


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The real pages; the first block of the main run is disturbed and repeated, the second too short."""
    copied = copy_site(tmp_path / "site")
    folder = copied / "research" / "runs" / RUN
    run = read_run(folder)
    cells = list(run.results.cells)
    first, second = [at for at, cell in enumerate(cells) if isinstance(cell, SpeedCell)][:2]
    repeat = cells[first].model_copy(update={"attempt": 1})
    cells[first] = cells[first].model_copy(update={"disturbed": "other programs took <b>"})
    cells[second] = cells[second].model_copy(update={"unjudged": "plain took 8 steps"})
    write_run(folder, run.record, run.results.model_copy(update={"cells": (*cells, repeat)}))
    return copied


def section(root: Path) -> list[Tag]:
    """What stands below the heading on the page of the register."""
    begin(root)
    page = generated_pages()["evidence/register.md"]
    return BeautifulSoup(page.split(f"## {DISTURBED}\n")[1], "html.parser").find_all(["table", "p", "strong"])


def lines(root: Path) -> list[str]:
    """The same of the text."""
    return written(root)[REGISTER].split(f"## {DISTURBED}\n")[1].split("\n## ")[0].strip().splitlines()[2:]


def test_every_disturbed_block_stands_in_the_register_with_its_repeat(root: Path) -> None:
    """Prompt, round, sampling, reason, what became of it; the block that could not be judged beside it."""
    rows = section(root)[0].select("tbody tr")
    shown = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in rows]
    assert shown == [
        [
            "prose-1, round 0, greedy",
            "other programs took <b>",
            "repeated, the speed-ups came out 1.00 times as large; not disturbed again",
        ],
        ["code-1, round 0, greedy", "plain took 8 steps", "not judged"],
    ]
    assert lines(root)[:3] == [f"- `{RUN}`:", *("  - {}: {}; {}".format(*row) for row in shown)]


def test_a_run_without_one_says_none(root: Path) -> None:
    """Of every run that is shown, beside one or cited by name: silence would not tell quiet from forgotten."""
    stand_beside(root, "quick", synthetic_run("again", seed=1))
    quiet = {line.partition("`")[2] for line in lines(root) if line.endswith(": none")}
    assert "again`: none" in quiet
    assert {f"{cited}`: none" for cited in Register(root).cited} <= quiet
    text = " ".join(each.get_text() for each in section(root) if each.name == "p")
    assert "In again: none." in text


def test_a_run_that_cannot_be_read_is_said_in_its_place(root: Path) -> None:
    """The other runs stand there all the same."""
    adopt_run(root, *synthetic_run("other-1", plan=synthetic_plan(name="other")))
    (root / "research" / "runs" / RUN / "results.json").unlink()
    shown = section(root)
    assert "results.json is missing" in shown[0].get_text()
    assert any("In other-1: none." in each.get_text() for each in shown)
