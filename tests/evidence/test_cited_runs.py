"""Claims that cite one certain run, whatever the plans show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from small_repository import claim, new_run, small_repository
from speclab.errors import InputError
from speclab.evidence.adopt import adopt, discard
from speclab.evidence.checks import check
from speclab.evidence.difference import compare_runs
from speclab.evidence.estimates import estimate
from speclab.evidence.register import Register
from speclab.records.reader import read_run
from speclab.records.run import RunRecord

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = "quick-1", "quick-2"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A run that was adopted before another took its place, and a claim on each."""
    made = small_repository(
        tmp_path, claim("there", "cost_ratio", form=".4f", run=OLD), claim("here", "cost_ratio", form=".4f")
    )
    for run, slow in ((OLD, 1.0), (NEW, 2.0)):
        new_run(made, run, slow=slow)
        adopt(run, made)
    return made


def test_a_claim_keeps_the_run_that_it_names(root: Path) -> None:
    """The other follows its plan."""
    register = Register(root)
    for address, run in (("there", OLD), ("here", NEW)):
        found = read_run(root / "research" / "runs" / run)
        assert register.value(address).run == run
        assert register.number(address) == estimate("cost_ratio", found, {}).number()
    assert register.number("here") > 1.5 * register.number("there")
    assert check(root) == []


def test_it_is_no_part_of_a_comparison_of_two_others(root: Path) -> None:
    """That it names its run is why it cannot move."""
    runs = [read_run(root / "research" / "runs" / run) for run in (OLD, NEW)]
    assert [each.claim for each in compare_runs(runs[0], runs[1], Register(root))] == ["here"]


def test_a_plan_and_a_run_are_one_too_many(tmp_path: Path) -> None:
    """The line of the register, and what to do."""
    root = small_repository(tmp_path, claim("both", "cost_ratio", run=OLD, plan="quick"))
    [fault] = Register(root).faults.values()
    assert fault == (
        f"research/register.toml:4: both: it names the plan quick and the run {OLD}: take one of them away"
    )


def test_a_run_that_is_not_kept_has_no_numbers(root: Path) -> None:
    """Its folder is gone, or it lies in `runs/` still."""
    (root / "research" / "runs" / OLD).rename(root / "runs" / OLD)
    with pytest.raises(InputError, match=f"there is no run at .*{OLD}"):
        Register(root).value("there")


def test_a_discarded_run_has_none_either(root: Path) -> None:
    """The reason is said, and the entry's own line is that of the discard."""
    register = root / "research" / "register.toml"
    entry = f'\n[[discard]]\nrun = "{OLD}"\nreason = "the machine slept"\n'
    register.write_text(register.read_text(encoding="utf-8") + entry, encoding="utf-8")
    with pytest.raises(InputError, match=rf"run {OLD} is discarded \(the machine slept\) and yet cited"):
        Register(root).value("there")
    line = register.read_text(encoding="utf-8").split("\n").index("[[discard]]") + 2
    assert Register(root).place(OLD) == f"research/register.toml:{line}: {OLD}"


def test_a_run_that_claims_cite_is_not_discarded_under_them(root: Path) -> None:
    """The claims are named, and nothing was changed."""
    register = root / "research" / "register.toml"
    before = register.read_bytes()
    with pytest.raises(InputError, match=rf"run {OLD} is cited by name in .*\(there\): change these claims"):
        discard(OLD, "the machine slept", root)
    assert register.read_bytes() == before


def test_an_unfinished_run_has_none_either(root: Path) -> None:
    """Only what a run ended with can be cited."""
    path = root / "research" / "runs" / OLD / "run.json"
    record = RunRecord.model_validate_json(path.read_text(encoding="utf-8"))
    path.write_text(record.model_copy(update={"status": "failed"}).model_dump_json(), encoding="utf-8")
    with pytest.raises(InputError, match=f"run {OLD} is failed, and a claim cites complete runs only"):
        Register(root).value("there")
