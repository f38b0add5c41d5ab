"""Adopting and discarding runs: what is refused, what moves, and what a kill in between leaves."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hand_rows import run_of
from small_repository import claim, new_run, small_repository
from speclab.errors import CheckError, InputError
from speclab.evidence.adopt import adopt, adopt_beside, discard
from speclab.evidence.commits import commit_with
from speclab.evidence.current import changing, read_current
from speclab.evidence.register import Register
from speclab.records.base import Reading
from speclab.records.files import sha256_of
from speclab.records.reader import read_run
from speclab.records.run import Memory
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from speclab.records.machine import Machine

WITHOUT_GIT: dict[str, Any] = {
    "commit": Reading[str](reason="git is not installed"),
    "dirty": Reading[bool](reason="git is not installed"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository without runs."""
    return small_repository(tmp_path, claim("c", "cost_ratio"))


def test_the_first_run_moves_and_becomes_main(root: Path) -> None:
    """Whole, and out of `runs/`."""
    new_run(root, "quick-1")
    current = adopt("quick-1", root)
    assert (current.main, current.runs) == ("quick", {"quick": "quick-1"})
    assert read_current(root) == current
    assert not (root / "runs/quick-1").exists()
    assert read_run(root / "research/runs/quick-1").record.id == "quick-1"


def test_the_next_run_of_the_plan_takes_its_place_and_the_old_one_stays(root: Path) -> None:
    """Both can be looked at."""
    for run_id in ("quick-1", "quick-2"):
        new_run(root, run_id)
        adopt(run_id, root)
    assert read_current(root).runs == {"quick": "quick-2"}
    assert (root / "research/runs/quick-1/results.json").is_file()


def test_another_plan_does_not_become_main(root: Path) -> None:
    """The chapter follows one plan until somebody decides otherwise."""
    (root / "research/current.toml").write_text('main = "cpu"\n[runs]\ncpu = "cpu-1"\n', encoding="utf-8")
    new_run(root, "quick-1")
    assert adopt("quick-1", root).main == "cpu"
    assert read_current(root).runs == {"cpu": "cpu-1", "quick": "quick-1"}


def test_a_plan_becomes_main_where_that_is_asked_for(root: Path) -> None:
    """The chapter then follows it."""
    (root / "research/current.toml").write_text('main = "cpu"\n[runs]\ncpu = "cpu-1"\n', encoding="utf-8")
    new_run(root, "quick-1")
    assert adopt("quick-1", root, main=True).main == "quick"
    assert read_current(root).runs == {"cpu": "cpu-1", "quick": "quick-1"}


def test_two_that_change_at_one_moment_come_one_after_the_other(root: Path) -> None:
    """Neither is lost: the second reads what the first has written."""
    import threading

    for run_id in ("quick-1", "quick-2", "quick-3"):
        new_run(root, run_id)
    adopt("quick-1", root)
    with changing(root):
        waiting = [threading.Thread(target=adopt_beside, args=(run_id, root)) for run_id in ("quick-2", "quick-3")]
        for each in waiting:
            each.start()
        waiting[0].join(0.3)
        assert read_current(root).beside == {}
    for each in waiting:
        each.join()
    assert sorted(read_current(root).beside["quick"]) == ["quick-2", "quick-3"]


def test_killed_after_the_move_the_same_call_finishes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is whole in one of the two places, and nothing points at a run that is not there."""
    new_run(root, "quick-1")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("speclab.evidence.adopt.write_current", killed)
        with pytest.raises(KeyboardInterrupt):
            adopt("quick-1", root)
    assert read_current(root).runs == {}
    assert read_run(root / "research/runs/quick-1")
    adopt("quick-1", root)
    assert read_current(root).runs == {"quick": "quick-1"}


def test_a_run_on_another_disk_is_copied_whole_before_it_goes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`runs/` may be a mount of its own."""
    new_run(root, "quick-1")
    rename = Path.rename

    def across(self: Path, target: Path) -> Path:
        if self.parent.name == "runs" and self.parent.parent == root:
            raise OSError(errno.EXDEV, "another disk")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", across)
    adopt("quick-1", root)
    assert read_run(root / "research/runs/quick-1")
    assert not (root / "runs/quick-1").exists()
    assert [each.name for each in (root / "research/runs").iterdir()] == ["quick-1"]


MACHINE: Machine = synthetic_run()[0].machine
MEMORY = Memory(
    peak_bytes=Reading[int](value=1), weights_resident=Reading[bool](value=False), reason="read from disk"
)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"overrides": ("--k 3",)}, r"departed from its plan \(--k 3\)"),
        ({"plan_sha256": "0" * 64}, "research/plans/quick.toml is not the plan that it was made by"),
        ({"status": "interrupted", "reason": "Ctrl-C"}, r"it is interrupted \(Ctrl-C\)"),
        ({"status": "failed"}, "it is failed"),
        ({"status": "discarded", "reason": "not resident"}, r"it is discarded \(not resident\)"),
        ({"machine": MACHINE.model_copy(update={"after": None})}, "does not say how the run ended"),
        ({"memory": None}, "nothing says whether the weights lay in memory"),
        ({"memory": MEMORY}, r"not known to lie in memory \(read from disk\)"),
        ({"dirty": Reading[bool](value=True)}, "its code differed from commit efefefefefef: commit first"),
        (WITHOUT_GIT, "no commit here has the files"),
    ],
)
def test_what_speaks_against_a_run(root: Path, changes: dict[str, Any], says: str) -> None:
    """It stays where it was, and nothing points at it."""
    new_run(root, "quick-1", **changes)
    with pytest.raises(CheckError, match=says):
        adopt("quick-1", root)
    assert (root / "runs/quick-1").is_dir()
    assert read_current(root).runs == {}


def test_everything_that_speaks_against_a_run_is_said_at_once(root: Path) -> None:
    """So that nobody repairs one thing after another."""
    new_run(root, "quick-1", overrides=("--k 3",), memory=None)
    with pytest.raises(CheckError, match=r"departed.*; nothing says whether"):
        adopt("quick-1", root)


def test_the_fallback_pair_is_no_override(root: Path) -> None:
    """The plan names it."""
    new_run(root, "quick-1", fallback="the hub refused the pair")
    assert adopt("quick-1", root).main == "quick"


def test_a_run_of_one_experiment_is_refused(root: Path) -> None:
    """A plan's page needs all of them."""
    record, _ = synthetic_run("quick-1")
    results = run_of().results.model_copy(update={"run": "quick-1"})
    write_run(root / "runs/quick-1", record, results)
    with pytest.raises(CheckError, match="holds no rows of timing, speed, traces, distribution"):
        adopt("quick-1", root)


@pytest.mark.parametrize(
    ("run_id", "says"), [("quick-9", "there is no run quick-9"), ("../quick", "is no run id")]
)
def test_a_run_that_is_not_there_is_refused(root: Path, run_id: str, says: str) -> None:
    """And no path is taken for an id."""
    with pytest.raises(InputError, match=says):
        adopt(run_id, root)
    with pytest.raises(InputError, match=says):
        discard(run_id, "why not", root)


def test_a_run_in_both_places_is_refused(root: Path) -> None:
    """One of them would be lost."""
    new_run(root, "quick-1")
    adopt("quick-1", root)
    new_run(root, "quick-1", seed=1)
    with pytest.raises(InputError, match="are there: take away the one that is not meant"):
        adopt("quick-1", root)


def test_a_run_that_is_being_measured_is_left_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither adopted nor discarded."""
    new_run(root, "quick-1")
    monkeypatch.setattr("speclab.evidence.adopt.measured_now", lambda: "quick-1")
    with pytest.raises(InputError, match="being measured at this moment"):
        adopt("quick-1", root)
    with pytest.raises(InputError, match="being measured at this moment"):
        discard("quick-1", "no", root)


def test_a_discarded_run_stands_in_the_register_with_its_reason(root: Path) -> None:
    """What was written there by hand stays as it was, and the reason may hold anything."""
    new_run(root, "quick-1")
    before = (root / "research/register.toml").read_text(encoding="utf-8")
    discard("quick-1", 'the fan "stopped"\n]] = \\ x', root)
    after = (root / "research/register.toml").read_text(encoding="utf-8")
    assert after.startswith(before.rstrip())
    assert Register(root).discards["quick-1"].reason == 'the fan "stopped" ]] = \\ x'
    assert (root / "research/runs/quick-1/run.json").is_file()
    with pytest.raises(InputError, match="discarded already"):
        discard("quick-1", "again", root)
    with pytest.raises(CheckError, match=r"it is discarded \(the fan"):
        adopt("quick-1", root)


def test_what_a_plan_shows_is_not_discarded(root: Path) -> None:
    """First something else has to be shown."""
    new_run(root, "quick-1")
    adopt("quick-1", root)
    with pytest.raises(InputError, match="what the plan quick shows: adopt another run"):
        discard("quick-1", "too hot", root)


def test_a_reason_is_needed(root: Path) -> None:
    """Blanks are none."""
    new_run(root, "quick-1")
    with pytest.raises(InputError, match="say why run quick-1 is discarded"):
        discard("quick-1", "  \n", root)


def test_what_the_program_discarded_needs_no_other_reason(root: Path) -> None:
    """Its own stands in the register, unless a person gives another."""
    for run_id in ("quick-1", "quick-2"):
        new_run(root, run_id, status="discarded", reason="3 of the 4 blocks were disturbed by cc1")
    assert discard("quick-1", None, root) == "3 of the 4 blocks were disturbed by cc1"
    assert discard("quick-2", "the fan stopped", root) == "the fan stopped"
    discards = Register(root).discards
    assert discards["quick-1"].reason == "3 of the 4 blocks were disturbed by cc1"
    assert discards["quick-2"].reason == "the fan stopped"


def test_a_run_that_the_program_kept_is_not_discarded_without_a_reason(root: Path) -> None:
    """It says what to give, and the run stays where it was."""
    new_run(root, "quick-1")
    with pytest.raises(InputError, match=r"run quick-1 is complete.* give your reason, --reason"):
        discard("quick-1", None, root)
    assert (root / "runs/quick-1").is_dir()
    assert Register(root).discards == {}


def test_an_unreadable_run_can_be_discarded(root: Path) -> None:
    """It is the more reason to."""
    new_run(root, "quick-1")
    (root / "runs/quick-1/results.json").write_text("{", encoding="utf-8")
    discard("quick-1", "cut by a full disk", root)
    assert "quick-1" in Register(root).discards


def _git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_a_run_without_git_is_taken_when_a_commit_has_its_files(root: Path) -> None:
    """Of any commit, not only the newest; and all files must be of one."""
    loop, rules = root / "loop.py", root / "rules.py"
    _git(root, "init", "-q")
    _git(root, "commit", "-q", "--allow-empty", "-m", "nothing")
    digests = []
    for version in ("first", "second"):
        loop.write_text(f"{version} loop", encoding="utf-8")
        rules.write_text(f"{version} rules", encoding="utf-8")
        _git(root, "add", "loop.py", "rules.py")
        _git(root, "commit", "-q", "-m", version)
        digests.append({"loop.py": sha256_of(loop), "rules.py": sha256_of(rules)})
    mixed = {"loop.py": digests[0]["loop.py"], "rules.py": digests[1]["rules.py"]}
    assert commit_with(root, digests[1]) == _git(root, "rev-parse", "HEAD")
    assert commit_with(root, digests[0]) == _git(root, "rev-parse", "HEAD~1")
    assert commit_with(root, mixed) is None
    assert commit_with(root, digests[1] | {"gone.py": "0" * 64}) is None
    assert commit_with(root, {}) is None

    new_run(root, "quick-1", sources=mixed, **WITHOUT_GIT)
    with pytest.raises(CheckError, match=r"made without git \(git is not installed\), and no commit here"):
        adopt("quick-1", root)
    new_run(root, "quick-2", sources=digests[0], **WITHOUT_GIT)
    assert adopt("quick-2", root).runs == {"quick": "quick-2"}


def test_no_repository_means_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even inside a hook, where git's own variables point elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    _git(elsewhere, "init", "-q")
    (elsewhere / "a").write_text("a", encoding="utf-8")
    _git(elsewhere, "add", "a")
    _git(elsewhere, "commit", "-q", "-m", "a")
    digests = {"a": sha256_of(elsewhere / "a")}
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    assert commit_with(bare, digests) is None
    monkeypatch.setenv("GIT_DIR", str(bare))
    assert commit_with(elsewhere, digests) is not None
