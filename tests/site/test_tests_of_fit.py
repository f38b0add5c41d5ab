"""Tests of fit on the pages: every one beside what it could see, and where the models differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import copy_site
from speclab.evidence.estimates import estimate
from speclab.records.reader import Run
from speclab.records.rows import DisagreementCell, DistributionCell
from speclab.site import figures, tables
from speclab.site.building import begin
from speclab.site.pages.run import run_page
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.records.rows import Cell
    from speclab.site.building import Building

RUN = Run(*synthetic_run())


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Building:
    """The pages, and a run in which nothing was testable (`single`)."""
    root: Path = copy_site(tmp_path_factory.mktemp("fits") / "site")
    record, results = synthetic_run("single")
    cells = tuple(_single(cell) for cell in results.cells)
    write_run(root / "research" / "runs" / "single", record, results.model_copy(update={"cells": cells}))
    return begin(root)


def _single(cell: Cell) -> Cell:
    if not isinstance(cell, DistributionCell):
        return cell
    none = {"needed": cell.tests[0].needed, "degrees": 0, "cells": 1}
    return cell.model_copy(update={"tests": tuple(each.model_copy(update=none) for each in cell.tests)})


def rows(html: str) -> dict[str, list[str]]:
    """Cells of each row by its heading."""
    found = BeautifulSoup(html, "html.parser").select("tbody tr")
    return {row.th.get_text(): [each.get_text(" ") for each in row.find_all("td")] for row in found if row.th}


@pytest.mark.parametrize("table", [tables.distribution, tables.disagreement])
def test_every_test_stands_beside_what_it_could_see(building: Building, table: Callable[[], str]) -> None:
    """The right rule with p and floor, the wrong ones with power and draws; the words are explained below."""
    del building
    floor = estimate("detectable_tv", RUN, {}).value
    right, *wrong = rows(table())["prose-1"][-3:]
    assert right.startswith("passed p = ")
    assert right.endswith(f"floor {floor:.4f}")
    for each in wrong:
        assert each.startswith("rejected power above 0.999 draws ")
    note = BeautifulSoup(table(), "html.parser").select_one(".lab-note")
    assert note is not None
    assert all(word in note.get_text() for word in ("Floor", "Power", "draws", "Blind"))


def test_a_blind_test_says_how_many_draws_would_see(building: Building) -> None:
    """Fifteen million, where two hundred thousand were made."""
    del building
    assert rows(tables.distribution())["copying-1"][-1] == "blind power 0.200 draws 15,000,000"


def test_where_nothing_was_testable_no_floor_is_shown(building: Building) -> None:
    """Nor a number of draws that nobody knows."""
    shown = rows(tables.distribution("single"))["prose-1"]
    assert not any("floor" in each or "draws" in each for each in shown)
    assert building.faults == []


def test_contexts_are_shown_where_the_search_found_them(building: Building) -> None:
    """Behind which token of how many; the figure has a line a kind and the contexts that were tested."""
    del building
    assert rows(tables.disagreement())["json-1"][:2] == ["38 of 92", "0.536"]
    shown = rows(figures.disagreement())
    texts = [cell for cell in RUN.results.cells if isinstance(cell, DisagreementCell)]
    assert list(shown) == [cell.kind for cell in texts]
    assert shown["json"][0] == "92"
    assert shown["json"][-1] == f"{max(texts[3].total_variations):.4f}"


def test_the_finding_names_the_kinds_at_both_ends(building: Building) -> None:
    """By their medians; copying agrees most in the simulation, prose least."""
    del building
    finding = BeautifulSoup(figures.disagreement(), "html.parser").select_one(".lab-finding")
    assert finding is not None
    assert finding.get_text().startswith("Half of the positions lie above 0.042 (copying) to 0.241 (prose)")
    assert finding.get_text().endswith("the largest distance is 0.578")


def test_the_page_of_a_run_has_the_search(building: Building) -> None:
    """A section with its figure and table."""
    del building
    page = run_page("single")
    assert "## Where the models differ most" in page
    assert 'print(figures.disagreement("single"))' in page
    assert 'print(tables.disagreement("single"))' in page
