"""Two runs claim by claim: moved, the same, or not comparable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from small_repository import claim, small_repository
from speclab.evidence.difference import compare_runs, not_comparable
from speclab.evidence.register import Register
from speclab.records.reader import Run
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.evidence.difference import Compared

ENTRIES = (
    claim("c", "cost_ratio"),
    claim("speed", "speedup", "k = 4"),
    claim("speed.code", "speedup", 'k = 4, kind = "code"'),
    claim("gone", "speedup", "k = 9"),
    claim("spread", "between_runs", 'of = "speedup", k = 4'),
    claim("rejected", "rule_tests", 'rule = "fresh_draw", verdict = "rejected"', ".0f"),
)


@pytest.fixture
def register(tmp_path: Path) -> Register:
    """Five claims about one run, and one about several, which two runs cannot answer."""
    return Register(small_repository(tmp_path, *ENTRIES))


def compared(register: Register, left: Run, right: Run) -> dict[str, Compared]:
    return {each.claim: each for each in compare_runs(left, right, register)}


def test_the_same_rows_are_the_same(register: Register) -> None:
    """Whatever has a value, with or without an interval."""
    run = Run(*synthetic_run())
    found = compared(register, run, run)
    assert {name: each.outcome for name, each in found.items()} == {
        "c": "same",
        "speed": "same",
        "speed.code": "same",
        "gone": "not comparable",
        "rejected": "same",
    }
    assert "has no k = 9" in found["gone"].why


def test_a_slower_draft_moves_the_cost(register: Register) -> None:
    """Intervals that do not overlap; another seed of the same simulation stays within them."""
    run, again, slow = (Run(*synthetic_run(seed=seed, slow=slow)) for seed, slow in ((0, 1.0), (1, 1.0), (0, 3.0)))
    assert compared(register, run, again)["c"].outcome == "same"
    moved = compared(register, run, slow)["c"]
    assert (moved.outcome, moved.why) == ("moved", "the intervals do not overlap")
    bare = compared(register, run, slow)["speed.code"]
    assert (bare.outcome, bare.why) == ("moved", "no interval, the numbers themselves are compared")


def _processor(**changes: Any) -> dict[str, Any]:
    machine = synthetic_run()[0].machine
    return {"machine": machine.model_copy(update={"processor": machine.processor.model_copy(update=changes)})}


def _pair(**changes: Any) -> dict[str, Any]:
    plan = synthetic_run()[0].plan
    return {"plan": plan.model_copy(update={"pair": plan.pair.model_copy(update=changes)})}


def _draft(**changes: Any) -> dict[str, Any]:
    return {"draft": synthetic_run()[0].draft.model_copy(update=changes)}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (_processor(cores=64), "another machine"),
        (_pair(dtype="float32"), "another dtype (bfloat16, float32)"),
        (_pair(device="cuda"), "another device (cpu, cuda)"),
        (_draft(history="bfloat16 as published"), "another draft"),
        ({"prompts": synthetic_run()[0].prompts[1:]}, "other prompts"),
    ],
    ids=["machine", "dtype", "device", "weights", "prompts"],
)
def test_runs_of_different_things_are_never_compared(
    register: Register, changes: dict[str, Any], why: str
) -> None:
    """Each number is shown, and none is called moved or the same."""
    record, results = synthetic_run()
    other = record.model_copy(update=changes)
    assert not_comparable(record, other) == (why,)
    found = compared(register, Run(record, results), Run(other, results))
    assert {each.outcome for each in found.values()} == {"not comparable"}
    assert found["c"].why == why
    assert found["c"].left is not None


def test_the_order_of_prompts_is_no_difference() -> None:
    """What was fed counts."""
    record, _ = synthetic_run()
    assert not_comparable(record, record.model_copy(update={"prompts": record.prompts[::-1]})) == ()
