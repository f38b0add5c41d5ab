"""What tests of fit could see, and the search for where the models differ, on simulated runs."""

from __future__ import annotations

import math
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from hand_rows import run_of
from speclab.evidence.estimates import EmptySelectionError, estimate, find_estimate
from speclab.records.base import Reading
from speclab.records.reader import Run
from speclab.records.rows import DisagreementCell, DistributionCell, Results
from speclab.theory.floor import noncentrality
from synthetic import synthetic_plan, synthetic_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.records.rows import RuleTest

WHERE = dict[str, object]
TILTED = noncentrality(degrees=59, false_alarm=0.001, power=0.99)


@pytest.fixture(scope="module")
def run() -> Run:
    """Two prompts of each kind, one context a kind; two seeds."""
    plan = synthetic_plan(prompts_per_kind=2)
    return Run(
        *synthetic_run(
            plan=plan.model_copy(update={"distribution": plan.distribution.model_copy(update={"seeds": 2})})
        )
    )


def changed(run: Run, change: Callable[[RuleTest], RuleTest]) -> Run:
    """A copy with every test of the draws changed."""
    cells = tuple(
        cell.model_copy(update={"tests": tuple(map(change, cell.tests))})
        for cell in run.results.cells
        if isinstance(cell, DistributionCell)
    )
    return Run(run.record, Results(run=run.record.id, cells=cells))


@pytest.mark.parametrize(
    ("name", "where", "value", "n"),
    [
        ("detectable_tv", {}, math.sqrt(TILTED / 4 / 200_000), 12),
        ("detectable_tv", {"kind": "code"}, math.sqrt(TILTED / 4 / 200_000), 2),
        ("draws_for_tilt", {"tilt": 0.004}, math.ceil(TILTED / 0.004**2), 12),
        ("draws_for_tilt", {}, math.ceil(TILTED * 2**16), 12),
        ("draws_needed", {"rule": "fresh_draw", "end": "largest"}, 60 / 0.002**2, 6),
        ("draws_needed", {"rule": "draft_kept", "end": "smallest"}, round(60 / (0.1 + 0.3 * 0.26) ** 2), 6),
        ("draws_needed", {"rule": "draft_kept", "end": "smallest", "kind": "copying"}, 60 / 0.002**2, 1),
        ("searched_positions", {}, 12 * 92, 12),
        ("searched_positions", {"kind": "chat"}, 2 * 92, 2),
        ("searched_total_variation", {"at": "largest"}, 0.5 + 0.3 * 0.26, 12 * 92),
        ("searched_total_variation", {"at": "largest", "kind": "copying"}, 0.1, 2 * 92),
        ("disagreement_contexts", {}, 12, 12),
        ("disagreement_tests", {"verdict": "passed"}, 12, 12),
        ("disagreement_tests", {"rule": "fresh_draw", "verdict": "missed"}, 0, 12),
        ("disagreement_smallest_p", {"rule": "draft_kept"}, 1e-12, 12),
        ("disagreement_power", {}, 1.0, 24),
        ("disagreement_power", {"rule": "fresh_draw", "kind": "json"}, 1.0, 2),
        ("disagreement_draws", {"rule": "fresh_draw", "end": "largest"}, 60 / 0.1**2, 12),
        ("disagreement_rejections", {}, 0, 12),
        ("disagreement_rejections", {"rule": "draft_kept"}, 12, 12),
    ],
)
def test_numbers(run: Run, name: str, where: WHERE, value: float, n: int) -> None:
    """A context counts once for both seeds; floors and tilts follow from draws and degrees alone."""
    found = estimate(name, run, where)
    assert found.value == pytest.approx(value)
    assert found.n == n
    assert found.low is None


def test_the_median_is_over_all_positions(run: Run) -> None:
    """Half of the positions of all texts lie below it."""
    every = [x for cell in run.results.cells if isinstance(cell, DisagreementCell) for x in cell.total_variations]
    found = estimate("searched_total_variation", run, {"at": "median"})
    assert found.value is not None
    assert sum(each < found.value for each in every) == len(every) / 2


def test_the_floor_is_that_of_the_weakest_test(run: Run) -> None:
    """A test with more cells sees less, and a tilt is first seen by the one with the fewest."""
    sizes = cycle([1, 5, 100, 20])
    several = changed(run, lambda each: each.model_copy(update={"degrees": next(sizes)}))
    degrees = {t.degrees for c in several.results.cells if isinstance(c, DistributionCell) for t in c.tests[:1]}
    assert degrees == {1, 5, 100, 20}
    widest = changed(run, lambda each: each.model_copy(update={"degrees": max(degrees)}))
    assert estimate("detectable_tv", several, {}).value == estimate("detectable_tv", widest, {}).value
    fewest = changed(run, lambda each: each.model_copy(update={"degrees": min(degrees)}))
    assert estimate("draws_for_tilt", several, {}).value == estimate("draws_for_tilt", fewest, {}).value


def test_what_was_nowhere_testable_has_no_floor(run: Run) -> None:
    """Null with a reason, not zero."""
    single = changed(run, lambda each: each.model_copy(update={"degrees": 0}))
    for name in ("detectable_tv", "draws_for_tilt"):
        found = estimate(name, single, {})
        assert (found.value, found.n, found.reason) == (None, 0, "no context was testable")


def test_where_one_context_never_sees_there_is_no_largest_number_of_draws(run: Run) -> None:
    """The smallest is still known; a run from before this was recorded says so."""

    def blind(each: RuleTest) -> RuleTest:
        none = Reading[int](reason="never")
        return each.model_copy(update={"needed": none}) if each.needed.value == 60 / 0.002**2 else each

    partly = changed(run, blind)
    largest = estimate("draws_needed", partly, {"rule": "fresh_draw", "end": "largest"})
    assert (largest.value, largest.n, largest.reason) == (None, 5, "never")
    assert estimate("draws_needed", partly, {"rule": "fresh_draw", "end": "smallest"}).value is not None
    older = changed(run, lambda each: type(each).model_validate(each.model_dump(exclude={"needed"})))
    assert estimate("draws_needed", older, {"rule": "draft_kept", "end": "smallest"}).reason == "not recorded"


def test_what_follows_from_a_formula_says_so() -> None:
    """No draw was made to find it."""
    assert find_estimate("detectable_tv").value_class == "computed"
    assert find_estimate("draws_for_tilt").value_class == "computed"


def test_an_empty_selection_is_named(run: Run) -> None:
    """With the kinds that there are; a run without a search does not count zero of zero."""
    with pytest.raises(EmptySelectionError, match="no text of kind 'verse'; it has: prose"):
        estimate("searched_positions", run, {"kind": "verse"})
    with pytest.raises(EmptySelectionError, match="holds no text that was searched"):
        estimate("disagreement_rejections", run_of(), {})
