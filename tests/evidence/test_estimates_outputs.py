"""Counts of equal outputs, verdicts and tests of fit, on a simulated run and on changed copies of it."""

from __future__ import annotations

import pytest

from hand_rows import run_of
from speclab.evidence.estimates import EmptySelectionError, estimate
from speclab.records.base import Reading
from speclab.records.reader import Run
from speclab.records.rows import Changed, DistributionCell, DivergenceCell, Results
from synthetic import synthetic_plan, synthetic_run

WHERE = dict[str, object]


@pytest.fixture(scope="module")
def run() -> Run:
    """Two prompts of each kind, two rounds."""
    return Run(*synthetic_run(plan=synthetic_plan(prompts_per_kind=2, rounds=2)))


@pytest.mark.parametrize(
    ("name", "where", "value", "n"),
    [
        ("identical_runs", {}, 70, 72),
        ("identical_runs", {"k": 4}, 22, 24),
        ("identical_runs", {"k": 4, "kind": "chat"}, 2, 4),
        ("identical_runs", {"arm": "plain_again"}, 24, 24),
        ("differing_runs", {}, 2, 72),
        ("differing_runs", {"prompt": "chat-2"}, 0, 6),
        ("first_differences", {}, 1, 1),
        ("first_differences", {"verdict": "bug"}, 0, 1),
        ("first_differences", {"verdict": "tie", "k": 2}, 0, 0),
        ("changed_outputs", {}, 0, 48),
        ("rule_tests", {"rule": "ratio", "verdict": "passed"}, 5, 6),
        ("rule_tests", {"rule": "fresh_draw", "verdict": "rejected"}, 5, 6),
        ("rule_tests", {"rule": "draft_kept", "verdict": "blind", "kind": "copying"}, 1, 1),
        ("p_below", {"limit": 0.001, "rule": "fresh_draw"}, 5, 6),
        ("family_rejections", {}, 0, 6),
        ("family_rejections", {"rule": "draft_kept"}, 5, 6),
        ("blind_contexts", {}, 1, 6),
        ("total_variation_at", {"end": "smallest"}, 0.002, 6),
        ("total_variation_at", {"end": "largest"}, 0.1 + 0.3 * 0.26, 6),
    ],
)
def test_counts(run: Run, name: str, where: WHERE, value: float, n: int) -> None:
    """Twelve prompts, two rounds, three k; one prompt differs at the largest."""
    found = estimate(name, run, where)
    assert found.value == pytest.approx(value)
    assert found.n == n
    assert found.low is None


def test_configurations_that_changed_are_counted(run: Run) -> None:
    """One of 48 changed from block to block."""
    changed = {"changed": (Changed(arm="draft", k=4, blocks=("speed.chat-1.r1.a0",)),)}
    cells = tuple(
        cell.model_copy(update=changed) if isinstance(cell, DivergenceCell) and cell.prompt == "chat-1" else cell
        for cell in run.results.cells
    )
    altered = Run(run.record, Results(run=run.record.id, cells=cells))
    assert estimate("changed_outputs", altered, {}).value == 1


def test_a_single_round_cannot_show_a_change() -> None:
    """So there is no zero to boast with."""
    found = estimate("changed_outputs", Run(*synthetic_run()), {})
    assert found.value is None
    assert found.reason is not None
    assert "ran once" in found.reason


def test_mean_total_variation_counts_a_context_once_for_all_seeds() -> None:
    """Two seeds of one context are one context."""
    record, results = synthetic_run()
    cells = [cell for cell in results.cells if isinstance(cell, DistributionCell)]
    twice = (*cells, *(cell.model_copy(update={"seed": 1}) for cell in cells))
    found = estimate("total_variation", Run(record, Results(run=record.id, cells=twice)), {})
    assert found.n == 6
    assert found.value == pytest.approx(sum(cell.total_variation for cell in cells) / 6)


def test_a_context_is_blind_by_the_wrong_rules_alone(run: Run) -> None:
    """Where the right rule failed and no wrong one could be seen, it is blind all the same."""
    cells = tuple(
        cell.model_copy(
            update={
                "tests": tuple(
                    each.model_copy(update={"verdict": "failed"}) if each.rule == "ratio" else each
                    for each in cell.tests
                )
            }
        )
        for cell in run.results.cells
        if isinstance(cell, DistributionCell)
    )
    failed = Run(run.record, Results(run=run.record.id, cells=cells))
    assert estimate("blind_contexts", failed, {}).value == 1


def test_a_rule_that_was_nowhere_testable_has_no_smallest_p() -> None:
    """Null with a reason, never 1.0."""
    record, results = synthetic_run()
    cells = [cell for cell in results.cells if isinstance(cell, DistributionCell)]
    none = Reading[float](reason="a single cell")
    untestable = tuple(
        cell.model_copy(update={"tests": tuple(t.model_copy(update={"p_value": none}) for t in cell.tests)})
        for cell in cells
    )
    run = Run(record, Results(run=record.id, cells=untestable))
    assert estimate("smallest_p", run, {}).value is None
    smallest = min(t.p_value.value or 0 for cell in cells for t in cell.tests if t.rule == "ratio")
    assert estimate("smallest_p", Run(record, results), {}).value == smallest


@pytest.mark.parametrize(
    ("name", "where", "says"),
    [
        ("identical_runs", {"k": 3}, "no output of the arm draft at k = 3; k there: 1, 2, 4"),
        ("first_differences", {"kind": "verse"}, "no comparison of kind 'verse'"),
        ("rule_tests", {"verdict": "passed", "kind": "verse"}, "no context of kind 'verse'; it has: prose"),
    ],
)
def test_an_empty_selection_is_named(run: Run, name: str, where: WHERE, says: str) -> None:
    """With what there is."""
    with pytest.raises(EmptySelectionError, match=says):
        estimate(name, run, where)


@pytest.mark.parametrize(("name", "where"), [("identical_runs", {}), ("rule_tests", {"verdict": "passed"})])
def test_a_run_without_such_rows_says_so(name: str, where: WHERE) -> None:
    """Not zero of zero."""
    with pytest.raises(EmptySelectionError, match="holds no"):
        estimate(name, run_of(), where)
