"""The table of runs beside each other: a value of each, the factor, and nothing where one run is alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import PLAN, copy_site, stand_beside
from speclab.evidence.estimates import estimate
from speclab.site import tables
from speclab.site.building import begin
from speclab.site.pages.register import register_page
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.site.building import Building


def _building(root: Path, *seeds: int) -> Building:
    copy_site(root)
    stand_beside(root, "quick", *(synthetic_run(f"again-{seed}", seed=seed, plan=PLAN) for seed in seeds))
    return begin(root)


def test_each_run_has_a_column_with_its_own_interval(tmp_path: Path) -> None:
    """Speed-ups, plain against plain, what the cost model is fed; the factor is that of its row."""
    building = _building(tmp_path / "site", 1, 2)
    soup = BeautifulSoup(tables.between_runs(), "html.parser")
    heads = [each.get_text() for each in soup.select("thead th")]
    assert heads == ["number", "largest over smallest", "run 1", "run 2", "run 3"]
    rows = {
        str(row.th.get_text()): [cell.get_text(" ") for cell in row.find_all("td")]
        for row in soup.select("tbody tr")
        if row.th
    }
    speedups = [f"speed-up at k = {k}" for k in (1, 2, 4, 8)]
    checks = [f"verify ratio v({n})" for n in (2, 3, 5, 9)]
    assert list(rows) == [*speedups, "plain against plain", "cost ratio c", *checks]
    assert all(" to " in cell for row in rows.values() for cell in row[1:])
    named = [each.get_text() for each in soup.select(".lab-note a code")]
    assert named == ["quick-synthetic", "again-1", "again-2"]
    runs = [building.register.run(), *building.register.shown.beside(building.register.run())]
    for label, name, where in (
        ("speed-up at k = 4", "speedup", {"k": 4}),
        ("verify ratio v(5)", "verify_ratio", {"n": 5}),
    ):
        values = [estimate(name, run, where).number() for run in runs]
        assert float(rows[label][0]) == pytest.approx(max(values) / min(values), abs=0.0006)
    assert building.faults == []


def test_by_the_name_of_its_plan_the_run_of_the_chapter_is_bound(tmp_path: Path) -> None:
    """Its numbers lead to the register, those of the runs beside it are their own."""
    _building(tmp_path / "site", 1)
    shown = tables.between_runs("quick")
    assert shown == tables.between_runs()
    row = BeautifulSoup(shown, "html.parser").select("tbody tr")[1]  # the pages cite no spread at k = 2
    assert [cell.find("a") is not None for cell in row.find_all("td")] == [False, True, False]


def test_a_run_alone_is_said_to_be_alone(tmp_path: Path) -> None:
    """No fault: the page stands before there are others, and the page of any run has none beside it."""
    building = _building(tmp_path / "site")
    for shown in (tables.between_runs(), tables.between_runs("quick"), tables.between_runs("quick-synthetic")):
        assert "one run tells no spread" in shown
        assert "<table" not in shown
    assert building.faults == []


def test_the_register_lists_the_runs_beside(tmp_path: Path) -> None:
    """With the run that they stand beside."""
    _building(tmp_path / "site", 1)
    rows = [row.get_text(" ") for row in BeautifulSoup(register_page(), "html.parser").select("tr")]
    assert "again-1 quick beside quick-synthetic" in rows
