"""Near-ties on the pages: what is shown where gaps are narrow, where none is, and what a model made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import copy_site
from speclab.records.rows import MarginsCell
from speclab.site import figures, tables
from speclab.site.building import begin
from speclab.site.pages.run import run_page
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from speclab.records.rows import Cell
    from speclab.site.building import Building


def changed(cell: Cell, **parts: Any) -> Cell:
    """A cell of margins with some of its parts replaced; any other as it is."""
    return cell.model_copy(update=parts) if isinstance(cell, MarginsCell) else cell


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Building:
    """The pages, and runs: as simulated (`plain`), all gaps wide (`wide`), or some zero (`zero`)."""
    root: Path = copy_site(tmp_path_factory.mktemp("margins") / "site")
    write_run(root / "research" / "runs" / "plain", *synthetic_run("plain"))
    for name, gaps in (("wide", (3.0, 4.0)), ("zero", (0.0, 4.0))):
        record, results = synthetic_run(name)
        cells = tuple(changed(cell, gaps=gaps) for cell in results.cells)
        write_run(root / "research" / "runs" / name, record, results.model_copy(update={"cells": cells}))
    return begin(root)


def finding(run: str) -> str:
    found = BeautifulSoup(figures.margins(run), "html.parser").select_one(".lab-finding")
    assert found is not None
    return found.get_text()


def test_the_finding_names_gap_change_and_what_follows(building: Building) -> None:
    """As the rows of the run have them; one number is rounded as it deserves."""
    said = finding("plain")
    assert said.startswith(
        "The smallest of 48 gaps is 1.0e-02, the largest change of any logit 2.7e-05: at 9 tokens"
    )
    assert "one token in about 1,800,000 is expected to fall otherwise" in said
    assert building.faults == []


@pytest.mark.parametrize(("run", "smallest"), [("wide", "3.0e+00"), ("zero", "0.0e+00")])
def test_gaps_that_no_logarithm_shows_are_no_fault(building: Building, run: str, smallest: str) -> None:
    """Without a narrow gap nothing is foretold; a gap of zero counts under every size."""
    assert f"The smallest of 12 gaps is {smallest}" in finding(run)
    assert ("is expected" in finding(run)) == (run == "zero")
    rows = BeautifulSoup(figures.margins(run), "html.parser").select("figure > details table")[0].select("tr")[1:]
    assert (rows[0].get_text(" ").split()[1] == "0") == (run == "wide")
    assert building.faults == []


def test_the_tokens_of_a_constructed_tie_are_shown_and_do_nothing(building: Building) -> None:
    """Biased, chosen and chosen instead: each piece stands in code, escaped; beside the last its length."""
    shown = BeautifulSoup(tables.constructed_ties(), "html.parser")
    assert shown.find("b") is None
    pieces = [each.get_text() for each in shown.select("tbody tr")[0].select("code")]
    assert pieces == ["```exec\\n[=id]", "␣<b>one</b>", "```exec\\n[=id]"]
    assert "2 tokens" in shown.select("tbody tr")[0].get_text()
    assert building.faults == []


def test_a_row_a_length_with_the_expected_number(building: Building) -> None:
    """Of the lengths that the plan names."""
    rows = BeautifulSoup(tables.margins(), "html.parser").select("tbody tr")
    assert [row.select("th")[0].get_text() for row in rows] == ["2", "5", "9"]
    assert all(len(row.select("td")) == 4 for row in rows)
    assert "e+06" in rows[0].get_text()
    assert building.faults == []


def test_the_page_of_a_run_has_the_section(building: Building) -> None:
    """Where there are margins, and only there."""
    heading = "## How rare near-ties are in float32"
    assert heading in run_page("quick-synthetic")
    record, results = synthetic_run("without")
    cells = tuple(cell for cell in results.cells if not isinstance(cell, MarginsCell))
    folder = building.root / "research" / "runs" / "without"
    write_run(folder, record, results.model_copy(update={"cells": cells}))
    assert heading not in run_page("without")
