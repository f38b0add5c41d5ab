"""The figure of the simulated machine: the same at each build, bound to the register, and about no run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from bs4 import BeautifulSoup

from small_site import PLAN, copy_site
from speclab.evidence.drift import jumps
from speclab.site import figures
from speclab.site.building import begin

if TYPE_CHECKING:
    from speclab.site.building import Building


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Building:
    return begin(copy_site(tmp_path_factory.mktemp("drift") / "site"))


def test_it_is_the_same_each_time_and_stands_alone(building: Building) -> None:
    """Same bytes, well-formed, in the page's own colours, every id its own."""
    first = figures.drift()
    assert figures.drift() == first
    drawn = first[first.index("<svg") : first.index("</svg>") + len("</svg>")]
    ET.fromstring(drawn)  # noqa: S314 - drawn here
    assert "currentColor" in drawn
    assert not any(unwanted in drawn for unwanted in ("<style", "<metadata", "DejaVu", "#0101"))
    assert all(each.startswith("drifting-machine-") for each in re.findall(r'\sid="([^"]+)"', drawn))
    assert building.faults == []


def test_its_numbers_are_those_of_the_register(building: Building) -> None:
    """Finding and caption say what the claims say, and the data in the fold hold the worst of both ways."""
    soup = BeautifulSoup(figures.drift(), "html.parser")
    show = building.register.show
    finding, caption = (soup.select_one(each) for each in (".lab-finding", "figcaption"))
    assert finding is not None
    assert caption is not None
    assert all(show(each) in finding.get_text() for each in ("drift.jump.unpaired", "drift.jump.turns"))
    bound = {str(each["data-claim"]): each.get_text() for each in caption.select("a[data-claim]")}
    cited = ("given.drift.jump", "given.drift.slow", "drift.slow.unpaired", "drift.slow.turns")
    assert bound == {each: show(each) for each in cited}
    rows = [[cell.get_text() for cell in row.find_all("td")] for row in soup.select("details tbody tr")]
    assert len(rows) == len(jumps(1.7, len(PLAN.prompts), 32))
    assert f"{min(float(row[0]) for row in rows):.2f}" == show("drift.jump.unpaired")
    assert show("drift.jump.turns") in {row[1] for row in rows}


def test_it_rests_on_no_run(building: Building) -> None:
    """A simulation must not be taken for what a run measured."""
    del building
    block = BeautifulSoup(figures.drift(), "html.parser").select_one("[data-block]")
    assert block is not None
    assert (block["data-block"], block["data-run"]) == ("figures.drift", "")
    assert "Simulated" in block.get_text()
    assert "/evidence/runs/" not in str(block)
