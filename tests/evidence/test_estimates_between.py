"""The spread between runs: a factor over several of them, and none over one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hand_rows import run_of, simple_block
from small_repository import claim, new_run, small_repository
from speclab.errors import CheckError
from speclab.evidence.adopt import adopt, adopt_beside
from speclab.evidence.estimates import EmptySelectionError, estimate
from speclab.evidence.register import Register

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.reader import Run


def _run(speedup: int) -> Run:
    return run_of(simple_block("prose-1", 100 * speedup, {2: 100, 4: 200}))


def test_largest_over_smallest() -> None:
    """Whatever order the runs come in; at the k that was asked for, and n counts runs."""
    where = {"of": "speedup", "k": 2}
    found = estimate("between_runs", _run(3), where, beside=(_run(6), _run(2)))
    assert found.value == pytest.approx(3.0)
    assert (found.n, found.of, found.unit) == (3, "runs", "ratio")
    assert (found.low, found.high) == (None, None)
    assert found.reason is not None
    assert found.reason.startswith("a range of ")


@pytest.mark.parametrize(("take", "value"), [("smallest", 2.0), ("largest", 6.0)])
def test_an_end_of_the_range(take: str, value: float) -> None:
    """In the unit of the other estimate; n counts runs."""
    where = {"of": "speedup", "k": 2, "take": take}
    found = estimate("extreme_of_runs", _run(3), where, beside=(_run(6), _run(2)))
    assert found.value == pytest.approx(value)
    assert (found.n, found.of, found.low) == (3, "runs", None)
    assert found.reason is not None
    assert found.reason.startswith(f"the {take} of 3 runs (")


def test_conditions_reach_the_other_estimate() -> None:
    """A kind that no run has is said as that estimate says it."""
    with pytest.raises(EmptySelectionError, match="holds no block of kind 'verse'"):
        estimate("between_runs", _run(3), {"of": "speedup", "k": 2, "kind": "verse"}, beside=(_run(6),))


def test_one_run_has_no_spread() -> None:
    """The remedy is named."""
    with pytest.raises(EmptySelectionError, match=r"no run stands beside by-hand: .*`speclab evidence adopt RUN"):
        estimate("between_runs", _run(3), {"of": "speedup", "k": 2})
    with pytest.raises(EmptySelectionError, match="no run stands beside by-hand"):
        estimate("extreme_of_runs", _run(3), {"of": "speedup", "k": 2, "take": "largest"})


def test_zero_has_no_factor() -> None:
    """A count of nothing is not a factor below another."""
    with pytest.raises(CheckError, match="disturbed_blocks is 0 in run by-hand"):
        estimate("between_runs", _run(3), {"of": "disturbed_blocks"}, beside=(_run(3),))


def test_a_claim_names_every_run_that_it_rests_on(tmp_path: Path) -> None:
    """Its value is that of the runs beside each other, and changes with them."""
    small_repository(tmp_path, claim("spread", "between_runs", 'of = "speedup", k = 4', holds="value > 1"))
    new_run(tmp_path, "quick-1")
    adopt("quick-1", tmp_path)
    for number in (2, 3):
        new_run(tmp_path, f"quick-{number}", seed=number)
        adopt_beside(f"quick-{number}", tmp_path)
    register = Register(tmp_path)
    speedups = [
        estimate("speedup", run, {"k": 4}).number()
        for run in (register.run(), *register.shown.beside(register.run()))
    ]
    value = register.value("spread")
    assert value.value == pytest.approx(max(speedups) / min(speedups))
    assert value.n == 3
    assert value.reason == "a range of 3 runs (quick-1, quick-2, quick-3)"
