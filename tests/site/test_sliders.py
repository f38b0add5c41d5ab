"""The cost model as it stands in the page, before any script: the formula's curve and the measured points."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import copy_site
from speclab.evidence.estimates.acceptance import alpha
from speclab.evidence.estimates.blocks import kinds_of
from speclab.evidence.estimates.speed import overhead_steps, speedup
from speclab.evidence.estimates.timing import cost_ratio, verify_ratio
from speclab.site.building import begin
from speclab.site.interactive import cost_model
from speclab.site.interactive.sliders import BELOW, HEIGHT, HIGHEST, LEFT, WIDTH
from speclab.site.runs import run_of
from speclab.theory.cost import predicted_speedup

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.reader import Run

NUMBER = r"(-?[\d.]+)"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The simulated run of the pages."""
    root: Path = copy_site(tmp_path_factory.mktemp("sliders") / "site")
    begin(root)
    return run_of()


def at(x: str, y: str) -> tuple[float, float]:
    """Acceptance rate and speed-up of a place in the drawing."""
    return (float(x) - LEFT) / (WIDTH - LEFT - 8), (HEIGHT - BELOW - float(y)) / (HEIGHT - BELOW - 8) * HIGHEST


def test_the_curve_is_the_formula(run: Run) -> None:
    """At the measured costs of k = 4, from no guess right to every one."""
    soup = BeautifulSoup(cost_model(), "html.parser")
    curve = soup.select_one(".curve")
    assert curve is not None
    places = [at(*each) for each in re.findall(rf"[ML]{NUMBER} {NUMBER}", str(curve["d"]))]
    assert len(places) == 51
    assert (places[0][0], places[-1][0]) == pytest.approx((0, 1), abs=0.01)
    costs = {
        "cost_ratio": cost_ratio(run).number(),
        "verify_ratio": verify_ratio(run, n=5).number(),
        "overhead": overhead_steps(run, k=4).number(),
    }
    for rate, gain in places:
        assert gain == pytest.approx(predicted_speedup(min(1, max(0, rate)), 4, **costs), abs=0.03)


def test_the_points_are_the_kinds_as_measured(run: Run) -> None:
    """One for each kind at each k; those at the chosen k are seen."""
    soup = BeautifulSoup(cost_model(), "html.parser")
    points = soup.select(".point")
    kinds = kinds_of(run)
    assert len(points) == 4 * len(kinds)
    seen = [each for each in points if not each.has_attr("visibility")]
    assert [str(each["data-k"]) for each in seen] == ["4"] * len(kinds)
    for kind, point in zip(kinds, seen, strict=True):
        left, right = re.findall(rf"[ML]{NUMBER} {NUMBER}", str(point["d"]))[::2]
        rate, gain = at(str((float(left[0]) + float(right[0])) / 2), left[1])
        assert rate == pytest.approx(alpha(run, k=4, kind=kind).number(), abs=0.01)
        assert gain == pytest.approx(speedup(run, k=4, kind=kind).number(), abs=0.03)
        assert kind in point.get_text()


def test_sliders_are_hidden_and_labelled(run: Run) -> None:
    """Nothing that needs the script is seen without it; each slider has its name and begins as measured."""
    soup = BeautifulSoup(cost_model(), "html.parser")
    inputs = soup.select_one(".lab-inputs")
    assert inputs is not None
    assert inputs.has_attr("hidden")
    sliders = soup.select("input[type=range]")
    assert len(sliders) == 5
    labelled = {str(each["for"]) for each in soup.find_all("label")}
    assert {str(each["id"]) for each in sliders} == labelled
    begun = {str(each["data-input"]): float(str(each["value"])) for each in sliders}
    assert begun["cost_ratio"] == pytest.approx(cost_ratio(run).number(), rel=1e-3)
    assert begun["k"] == 4
    root = soup.select_one(".lab-sliders")
    assert root is not None
    timed = dict(each.split() for each in str(root["data-checks"]).split(";"))
    assert float(timed["4"]) == pytest.approx(verify_ratio(run, n=5).number(), abs=1e-4)
