"""The table of what an iteration costs and from which acceptance rate on it would pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import copy_site
from speclab.evidence.estimates import estimate
from speclab.site import tables
from speclab.site.building import begin

if TYPE_CHECKING:
    from pathlib import Path


def test_each_k_that_was_timed_has_its_cost_and_what_it_needs(tmp_path: Path) -> None:
    """One guess breaks even at c + v(2) - 1."""
    copy_site(tmp_path / "site")
    building = begin(tmp_path / "site")
    soup = BeautifulSoup(tables.iterations(), "html.parser")
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in soup.select("tbody tr")]
    assert [(row[0], row[1]) for row in rows] == [(str(k), str(k + 1)) for k in (1, 2, 4, 8, 16, 32)]
    run = building.register.run()
    for k, most, steps, _ in rows:
        cost = (
            int(k) * estimate("cost_ratio", run, {}).number()
            + estimate("verify_ratio", run, {"n": int(most)}).number()
        )
        assert float(steps) == pytest.approx(cost, abs=0.0051)
    assert float(rows[0][3]) == pytest.approx(float(rows[0][2]) - 1, abs=0.011)
    assert building.faults == []
