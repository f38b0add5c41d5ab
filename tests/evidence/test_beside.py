"""Runs beside the one that a plan shows: which may stand there, when they go, and what the checks say of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from small_repository import claim, new_run, small_repository
from speclab.errors import CheckError, InputError
from speclab.evidence.adopt import adopt, adopt_beside, discard
from speclab.evidence.checks import check
from speclab.evidence.current import read_current
from speclab.evidence.register import Register
from speclab.records.base import Reading
from speclab.records.run import RunRecord
from synthetic import plan_text, synthetic_plan, synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

SPREAD = claim("spread", "between_runs", 'of = "speedup", k = 4')
RECORD = synthetic_run()[0]
PROCESSOR = RECORD.machine.processor.model_copy(update={"threads": 8})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that shows `quick-1`, with another run of its plan in `runs/`."""
    small_repository(tmp_path, SPREAD)
    new_run(tmp_path, "quick-1")
    adopt("quick-1", tmp_path)
    new_run(tmp_path, "quick-2", seed=1)
    return tmp_path


def test_a_run_like_the_shown_one_is_kept_beside_it(root: Path) -> None:
    """It moves, the plan shows what it showed, and the same call again changes nothing."""
    assert adopt_beside("quick-2", root) == ("quick-1", "quick-2")
    assert adopt_beside("quick-2", root) == ("quick-1", "quick-2")
    new_run(root, "quick-3", seed=2)
    assert adopt_beside("quick-3", root) == ("quick-1", "quick-2", "quick-3")
    assert not (root / "runs/quick-2").exists()
    current = read_current(root)
    assert current.runs == {"quick": "quick-1"}
    assert current.beside == {"quick": ("quick-2", "quick-3")}
    assert [each.record.id for each in Register(root).shown.beside(Register(root).run())] == ["quick-2", "quick-3"]
    assert check(root) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"packages": RECORD.packages | {"torch": "2.12.0"}},
            r"other packages \(torch\); measure the plan quick again$",
        ),
        (
            {"sources": {"a.py": "0" * 64, "b.py": "1" * 64}},
            r"other source files \(a.py and 2 more\); measure the plan quick again$",
        ),
        (
            {"machine": RECORD.machine.model_copy(update={"processor": PROCESSOR})},
            "another machine; measure the plan quick again$",
        ),
        (
            {"draft": RECORD.draft.model_copy(update={"sha256": Reading[str](value="0" * 64)})},
            "another draft; measure the plan quick again$",
        ),
        ({"prompts": RECORD.prompts[1:]}, "other prompts; measure the plan quick again$"),
        ({"overrides": ("--k 3",)}, r"is not adopted: it departed from its plan"),
    ],
)
def test_another_measurement_is_refused(root: Path, changes: dict[str, Any], says: str) -> None:
    """In one line; it stays where it was."""
    new_run(root, "quick-3", **changes)
    with pytest.raises(CheckError, match=says):
        adopt_beside("quick-3", root)
    assert (root / "runs/quick-3").is_dir()
    assert read_current(root).beside == {}


def test_another_version_of_the_plan_is_refused(root: Path) -> None:
    """The plan was changed since the run that it shows."""
    plan = synthetic_plan().model_copy(update={"says": "changed"})
    (root / "research/plans/quick.toml").write_text(plan_text(plan), encoding="utf-8")
    digest = synthetic_run(plan=plan)[0].plan_sha256
    new_run(root, "quick-3", plan=plan, plan_sha256=digest)
    with pytest.raises(
        CheckError,
        match=r"cannot stand beside quick-1: another version of the plan; measure the plan quick again$",
    ):
        adopt_beside("quick-3", root)


def test_nothing_stands_beside_itself_or_beside_nothing(root: Path) -> None:
    """The remedy is named."""
    with pytest.raises(InputError, match=r"quick-1 is the one that the plan quick shows: name another run"):
        adopt_beside("quick-1", root)
    (root / "research/current.toml").write_text("[runs]\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"quick shows no run that quick-2 could .*: adopt it without --beside"):
        adopt_beside("quick-2", root)


def test_another_shown_run_has_none_beside_it(root: Path) -> None:
    """The runs stay; adopting once more what is shown already leaves them where they are."""
    adopt_beside("quick-2", root)
    assert adopt("quick-1", root).beside == {"quick": ("quick-2",)}
    new_run(root, "quick-3", seed=2)
    assert adopt("quick-3", root).beside == {}
    assert "beside" not in (root / "research/current.toml").read_text(encoding="utf-8")
    assert (root / "research/runs/quick-2/results.json").is_file()


def test_a_discarded_run_no_longer_stands_beside(root: Path) -> None:
    """And is not cited by the spread."""
    adopt_beside("quick-2", root)
    discard("quick-2", "the fan stood still", root)
    assert read_current(root).beside == {}
    assert any("spread: no run stands beside quick-1" in fault for fault in check(root))


def test_a_missing_run_beside_is_named(root: Path) -> None:
    """With the plan that it stands under."""
    adopt_beside("quick-2", root)
    shutil.rmtree(root / "research/runs/quick-2")
    assert check(root)[0].startswith(
        "research/current.toml: beside.quick: there is no run at research/runs/quick-2"
    )


def test_a_discarded_run_that_was_written_back_is_named(root: Path) -> None:
    """By the file that names it, and the claim that would cite it has no value."""
    discard("quick-2", "too hot", root)
    _write_beside(root, "quick-2")
    faults = check(root)
    assert (
        faults[0] == "research/current.toml: beside.quick: run quick-2 is discarded (too hot); take it away there"
    )
    assert "discarded (too hot) and yet beside quick-1" in faults[1]


@pytest.mark.parametrize(
    ("run_id", "says"), [("quick-1", "stands beside itself"), ("quick-3", "made by the plan slow")]
)
def test_what_cannot_stand_beside_is_named(root: Path, run_id: str, says: str) -> None:
    """Where somebody wrote it there by hand."""
    new_run(root, "quick-3", plan=synthetic_plan(name="slow"))
    shutil.move(root / "runs/quick-3", root / "research/runs/quick-3")
    _write_beside(root, run_id)
    assert any("beside.quick: run" in fault and says in fault for fault in check(root))


def test_a_plan_without_a_run_has_none_beside_it(root: Path) -> None:
    """The file is refused."""
    _write_beside(root, "quick-2", plan="slow")
    with pytest.raises(InputError, match=r"beside.slow: that plan has no run there"):
        read_current(root)


def test_a_run_that_stands_there_twice_is_refused(root: Path) -> None:
    """It would count as two."""
    adopt_beside("quick-2", root)
    path = root / "research" / "current.toml"
    text = path.read_text(encoding="utf-8").replace('"quick-2",', '"quick-2", "quick-2",')
    path.write_text(text, encoding="utf-8")
    [fault] = check(root)
    assert "beside.quick: a run stands there twice" in fault


@pytest.mark.parametrize("run_id", ["quick-1", "quick-2"])
def test_what_speaks_against_adopting_speaks_against_showing(root: Path, run_id: str) -> None:
    """A record that says so is named, however the run came to be shown."""
    adopt_beside("quick-2", root)
    path = root / "research" / "runs" / run_id / "run.json"
    record = RunRecord.model_validate_json(path.read_text(encoding="utf-8"))
    path.write_text(record.model_copy(update={"overrides": ("--k 3",)}).model_dump_json(), encoding="utf-8")
    assert any("it departed from its plan (--k 3)" in each for each in check(root))


def _write_beside(root: Path, run_id: str, plan: str = "quick") -> None:
    path = root / "research/current.toml"
    path.write_text(f'{path.read_text(encoding="utf-8")}[beside]\n{plan} = ["{run_id}"]\n', encoding="utf-8")
