"""Figures and tables: the same at each build, seen in both colour schemes, read aloud, and with their data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from bs4 import BeautifulSoup

from small_site import copy_site
from speclab.site import figures, tables
from speclab.site.building import begin
from speclab.site.figures.base import drawing, make_room
from speclab.site.html import Html, code, table, text
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.site.building import Building

FIGURES = (
    figures.acceptance,
    figures.best_k,
    figures.disagreement,
    figures.gains,
    figures.histogram,
    figures.iteration_time,
    figures.margins,
    figures.p_values,
    figures.pace,
    figures.pass_time,
    figures.prediction,
    figures.speedup,
)


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Building:
    root = copy_site(tmp_path_factory.mktemp("figures") / "site")
    write_run(root / "research" / "runs" / "several", *synthetic_run("several", seed=3, prompts_per_kind=3))
    return begin(root)


def svg_of(html: str) -> str:
    return html[html.index("<svg") : html.index("</svg>") + len("</svg>")]


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_the_same_each_time_and_stands_alone(building: Building, figure: Callable[..., str]) -> None:
    """Same bytes; no prolog, style or date; well-formed; every id is its own and every reference leads to one."""
    first = figure()
    building.drawn.clear()
    assert figure() == first
    drawn = svg_of(first)
    ET.fromstring(drawn)  # noqa: S314 - drawn here
    for unwanted in ("<?xml", "<!DOCTYPE", "<style", "<metadata", "DejaVu", "#0101"):
        assert unwanted not in drawn
    name = re.search(r'<figure class="lab-figure" id="([^"]+)"', first)
    assert name is not None
    ids = re.findall(r'\sid="([^"]+)"', drawn)
    assert ids
    assert all(each.startswith(name[1]) for each in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawn)) <= set(ids)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_read_aloud_and_shows_its_data(building: Building, figure: Callable[..., str]) -> None:
    """Title, description, a caption with the run, the data in a fold, and no fixed ink."""
    del building
    soup = BeautifulSoup(figure(), "html.parser")
    svg = soup.find("svg")
    assert svg is not None
    assert svg["role"] == "img"
    title, description = (soup.find(id=name) for name in str(svg["aria-labelledby"]).split())
    assert title is not None
    assert title.get_text()
    assert description is not None
    assert description.get_text()
    caption = soup.find("figcaption")
    assert caption is not None
    assert caption.find("a", href="/evidence/runs/quick-synthetic.md") is not None
    assert soup.select("figure > details td")
    assert "currentColor" in str(svg)


@pytest.mark.parametrize("label", ["1", "1,000,000"])
def test_labels_at_the_left_are_inside_however_wide_they_are(label: str) -> None:
    """Nothing is cut off; a figure that has the room stays as it is."""
    with drawing(2.0) as figure:
        axes = figure.add_subplot()
        axes.set_yticks([0.5], [label])
        axes.set_ylabel("milliseconds")
        before = figure.subplotpars.left
        make_room(figure)
        assert figure.get_tightbbox().x0 >= 0
        assert (figure.subplotpars.left == before) == (label == "1")


def test_no_two_figures_share_an_id(building: Building) -> None:
    """They stand on one page."""
    del building
    ids = [each for figure in FIGURES for each in re.findall(r'\sid="([^"]+)"', figure())]
    assert len(set(ids)) == len(ids)


def test_the_finding_follows_the_data(building: Building) -> None:
    """Another run, another title; with several prompts a kind, each has its point and its kind an interval."""
    del building
    one, several = (BeautifulSoup(figures.speedup(run), "html.parser") for run in (None, "several"))
    findings = [soup.select_one(".lab-finding") for soup in (one, several)]
    assert findings[0] is not None
    assert findings[0] != findings[1]
    rows = {str(row.th.get_text()): row.get_text(" ") for row in several.select("tr") if row.th}
    assert {"prose", "prose-1", "prose-2", "prose-3", "all kinds"} <= set(rows)
    assert " to " in rows["prose"]
    assert " to " not in rows["prose-1"]


def test_tables_of_the_chapter_are_bound_and_those_of_a_run_are_not(building: Building) -> None:
    """A number of the chapter leads to the register; a run's own page shows its own."""
    del building
    bound, own = tables.speedups(), tables.speedups("quick-synthetic")
    assert 'data-claim="speed.code.k4"' in bound
    assert "data-claim" not in own
    assert BeautifulSoup(bound, "html.parser").get_text() == BeautifulSoup(own, "html.parser").get_text()


def test_a_block_of_a_run_that_is_not_there_is_a_fault(building: Building) -> None:
    """Seen in its place, never a traceback."""
    building.read("docs/x.md", "\nprint(tables.memory())")
    shown = tables.memory("quick-elsewhere")
    assert "there is no run quick-elsewhere" in shown
    assert (building.faults[-1].page, building.faults[-1].line) == ("docs/x.md", 2)
    building.faults.clear()


def test_plain_text_in_a_table_is_escaped() -> None:
    """Whoever wrote it; only what is HTML by its type stays."""
    made = BeautifulSoup(
        table("a < b", ("x", "<y>"), "lr", [("<b>", Html("<i>1</i>"))], note="<u>"), "html.parser"
    )
    assert made.find("b") is None
    assert made.find("u") is None
    assert made.find("i") is not None
    assert [cell.get_text() for cell in made.find_all(["th", "td"])] == ["x", "<y>", "<b>", "1"]
    assert text(code("a<b")) == "<code>a&#60;b</code>"


def test_every_table_of_an_unfinished_run_is_shown(tmp_path: Path) -> None:
    """A run page makes do with the cells that are there."""
    from speclab.records.rows import SpeedCell
    from speclab.site.pages.run import run_page

    root = copy_site(tmp_path / "site")
    record, results = synthetic_run("half")
    few = tuple(cell for cell in results.cells if isinstance(cell, SpeedCell))[:1]
    write_run(root / "research" / "runs" / "half", record, results.model_copy(update={"cells": few}))
    building = begin(root)
    page = run_page("half")
    assert "What a pass costs" not in page
    calls = re.findall(r"print\((\w+)\.(\w+)\(\"half\"\)\)", page)
    rooms = {"tables": tables, "figures": figures}
    for room, name in calls:
        assert "data-block" in getattr(rooms[room], name)("half")
    assert building.faults == []
