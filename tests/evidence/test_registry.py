"""Estimates by name: typed conditions, nothing coerced, nothing passed over."""

from __future__ import annotations

import pytest

from hand_rows import run_of, simple_block
from speclab.errors import InputError
from speclab.evidence.estimates import check_where, estimate, estimate_names, find_estimate
from speclab.evidence.estimates.estimate import Estimate
from speclab.evidence.estimates.registry import named, value_class_of
from speclab.records.reader import Run
from synthetic import synthetic_run

# One valid condition for each estimate, so that every registered function runs at least once.
WHERE: dict[str, dict[str, object]] = {
    "between_runs": {"of": "speedup", "k": 4},
    "extreme_of_runs": {"of": "prediction_error", "k": 4, "take": "smallest"},
    "disagreement_draws": {"rule": "draft_kept", "end": "largest"},
    "disagreement_tests": {"verdict": "passed"},
    "draws_needed": {"rule": "fresh_draw", "end": "largest"},
    "mean_gap_change": {"length": 5},
    "tokens_to_divergence": {"length": 5},
    "histogram_share": {"k": 4, "accepted": 2},
    "p_below": {"limit": 0.05},
    "parameters": {"model": "target"},
    "layers": {"model": "target"},
    "cache_bytes": {"model": "draft"},
    "weight_bytes": {"model": "draft"},
    "pass_ms": {"model": "draft", "tokens": 5},
    "position_rate": {"k": 4, "position": 1},
    "rule_tests": {"verdict": "passed"},
    "searched_total_variation": {"at": "median"},
    "total_variation_at": {"end": "largest"},
    "verify_ratio": {"n": 9},
}


@pytest.fixture(scope="module")
def run() -> Run:
    """Three prompts of each kind."""
    return Run(*synthetic_run(prompts_per_kind=3))


@pytest.mark.parametrize("name", estimate_names())
def test_every_estimate_gives_a_number_on_a_whole_run(name: str, run: Run) -> None:
    """And says what it is, for the register's page."""
    fields = find_estimate(name).where.model_fields
    where = WHERE.get(name, {"k": 4} if "k" in fields and fields["k"].is_required() else {})
    found = estimate(name, run, where, beside=(run,))
    assert isinstance(found, Estimate)
    assert found.value is not None or found.reason
    assert find_estimate(name).says.endswith(".")


def test_arguments_reach_the_function() -> None:
    """By the name, as a claim does it."""
    run = run_of(simple_block("prose-1", 100, {1: 50, 2: 25}))
    assert estimate("speedup", run, {"arm": "draft", "k": 2, "kind": "prose"}).value == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("name", "where", "says"),
    [
        ("speed", {}, "unknown estimate 'speed'; there are: .*speedup"),
        ("speedup", {}, "speedup needs 'k' in `where`; it takes: k, arm, kind, prompt"),
        ("speedup", {"k": 2, "kin": "code"}, "speedup has no condition 'kin' in `where`; it takes: k"),
        ("speedup", {"k": "2"}, "k = '2' in `where`: input should be a valid integer"),
        ("speedup", {"k": True}, "k = True in `where`"),
        ("speedup", {"k": 2.0}, "k = 2.0 in `where`"),
        ("speedup", {"k": 2, "arm": "plain"}, "arm = 'plain' in `where`: input should be 'draft'"),
        ("speedup", {"k": 2, "kind": 3}, "kind = 3 in `where`"),
        ("cost_ratio", {"k": 2}, "cost_ratio has no condition 'k' in `where`; it takes: no conditions"),
        ("pass_ms", {"model": "other", "tokens": 1}, "input should be 'target' or 'draft'"),
        ("between_runs", {"k": 2}, "between_runs needs 'of' in `where`; it takes: of"),
        ("between_runs", {"of": "sped"}, "unknown estimate 'sped'"),
        ("between_runs", {"of": "speedup"}, "speedup needs 'k' in `where`"),
        ("between_runs", {"of": "speedup", "k": 2, "kin": "code"}, "speedup has no condition 'kin'"),
        ("between_runs", {"of": "between_runs"}, "numbers of a single run, and between_runs is over several"),
        ("extreme_of_runs", {"of": "speedup", "k": 2}, "extreme_of_runs needs 'take'"),
    ],
)
def test_wrong_conditions_are_refused(name: str, where: dict[str, object], says: str) -> None:
    """In one line that names estimate, key and value."""
    with pytest.raises(InputError, match=says):
        check_where(name, where)


def test_over_several_runs_a_number_stays_what_it_is_in_each() -> None:
    """Arithmetic does not become a measurement by being done three times."""
    assert value_class_of("between_runs", {"of": "speedup", "k": 2}) == "measured"
    assert value_class_of("extreme_of_runs", {"of": "prediction_error", "k": 2, "take": "largest"}) == "computed"


def test_two_estimates_of_one_name_are_refused() -> None:
    """A claim must mean one thing."""

    def speedup() -> None:
        """Another."""

    with pytest.raises(ValueError, match="two estimates are called speedup"):
        named()(speedup)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"value": 1.0, "low": 0.9, "n": 3}, "two ends"),
        ({"value": 1.0, "n": 3}, "the reason is said"),
        ({"value": None, "low": 0.9, "high": 1.0, "n": 3}, "without a value"),
        ({"value": float("nan"), "n": 3, "reason": "x"}, "finite"),
    ],
)
def test_an_estimate_is_whole(fields: dict[str, object], says: str) -> None:
    """Half an interval, or silence about a missing one, is refused."""
    with pytest.raises(ValueError, match=says):
        Estimate.model_validate(fields)
