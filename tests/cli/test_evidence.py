"""`speclab evidence`: each ending, and one JSON document on stdout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from small_bench import SmallBench, few_walks, small_ask
from small_bench import small_repository as tiny_repository
from small_repository import claim, new_run, small_repository
from speclab.cli.main import main
from speclab.cli.output import stdout
from speclab.experiments.runner import run_plan
from speclab.records.lock import measuring
from speclab.records.plan import EXPERIMENTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    few_walks(monkeypatch)


class Command:
    """Runs `speclab evidence …` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *arguments: str) -> int:
        with pytest.raises(SystemExit) as end:
            main(["evidence", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return int(end.value.code or 0)

    def document(self, *arguments: str) -> Any:
        assert self(*arguments, "--json") == 0
        return json.loads(self.out)


@pytest.fixture
def evidence(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, with what it printed."""
    return Command(capsys)


def test_list_tells_new_adopted_killed_and_broken_runs_apart(tmp_path: Path, evidence: Command) -> None:
    """A run that says it is running is killed unless something measures it now."""
    small_repository(tmp_path)
    assert evidence("list") == 0
    assert "no run is here yet" in evidence.out
    new_run(tmp_path, "quick-1")
    new_run(tmp_path, "quick-2", status="running")
    (tmp_path / "runs" / "quick-3").mkdir()
    (tmp_path / "research" / "runs" / "quick-0").mkdir()
    runs = {each["run"]: each for each in evidence.document("list")["runs"]}
    assert {name: each["status"] for name, each in runs.items()} == {
        "quick-0": "unreadable",
        "quick-1": "complete",
        "quick-2": "killed",
        "quick-3": "unreadable",
    }
    assert runs["quick-0"]["where"] == "adopted"
    assert "run.json is missing" in runs["quick-3"]["reason"]
    with measuring("quick-2"):
        again = {each["run"]: each for each in evidence.document("list")["runs"]}
        assert again["quick-2"]["status"] == "running"
    assert evidence("list") == 0
    assert "quick-1" in evidence.out


def test_show(tmp_path: Path, evidence: Command) -> None:
    """The record as it lies on the disk, and how many cells of each experiment."""
    small_repository(tmp_path)
    new_run(tmp_path, "quick-1")
    shown = evidence.document("show", "quick-1")
    assert shown["record"]["id"] == "quick-1"
    assert shown["cells"]["timing"] == 15
    assert evidence("show", "quick-1") == 0
    assert "Simulated CPU" in evidence.out
    assert evidence("show", "quick-9") == 2
    assert "there is no run quick-9" in evidence.err


def test_check_names_every_fault(tmp_path: Path, evidence: Command) -> None:
    """A sound repository passes; one edited digit fails with 1 and names the run, whatever folder it is in."""
    small_repository(tmp_path)
    new_run(tmp_path, "quick-1")
    assert evidence("check", "quick-1") == 0
    path = tmp_path / "runs" / "quick-1" / "results.json"
    path.write_text(path.read_text("utf-8").replace("1", "2", 1), encoding="utf-8")
    assert evidence("check", "quick-1") == 1
    assert "is not what the run wrote" in evidence.out
    (tmp_path / "runs" / "quick-1").rename(tmp_path / "research" / "runs" / "quick-1")
    assert evidence("check", "--json") == 1
    (fault,) = json.loads(evidence.out)["faults"]
    assert "research/runs/quick-1" in fault
    path = tmp_path / "research" / "runs" / "quick-1" / "results.json"
    path.unlink()
    assert evidence("check") == 1
    assert "results.json is missing" in evidence.out
    assert "Traceback" not in evidence.err


def test_adopt_and_discard(tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adopted run is what its plan shows; a discarded one stands in the register with its reason."""
    monkeypatch.setattr("speclab.evidence.adopt.reasons_against", lambda *_: [])
    small_repository(tmp_path)
    new_run(tmp_path, "quick-1")
    new_run(tmp_path, "quick-2")
    assert evidence.document("adopt", "quick-1") == {
        "run": "quick-1",
        "plan": "quick",
        "main": "quick",
        "left": [],
    }
    assert evidence("discard", "quick-2", "--reason", "the fan stood still") == 0
    assert "the fan stood still" in (tmp_path / "research" / "register.toml").read_text("utf-8")
    assert evidence("adopt", "quick-2") == 1
    new_run(tmp_path, "quick-3")
    runs = ["quick-1", "quick-3"]
    assert evidence.document("adopt", "quick-3", "--beside") == {
        "run": "quick-3",
        "beside": "quick-1",
        "runs": runs,
    }
    assert evidence("adopt", "quick-2", "--beside") == 1
    assert evidence("adopt", "quick-1", "--beside") == 2
    assert evidence("adopt", "quick-3", "--beside", "--main") == 2
    assert evidence.document("adopt", "quick-1", "--main")["main"] == "quick"
    assert evidence("discard", "quick-9", "--reason", "none") == 2
    new_run(tmp_path, "quick-4")
    assert evidence("adopt", "quick-4") == 0
    assert "beside the run before stood quick-3, and now nothing does" in " ".join(evidence.out.split())
    assert evidence("adopt", "quick-3", "--beside") == 0
    assert evidence.document("adopt", "quick-3")["left"] == []


def test_discard_takes_the_program_s_own_reason(tmp_path: Path, evidence: Command) -> None:
    """Where there is one; else it asks for one, as for a wrong option."""
    small_repository(tmp_path)
    new_run(tmp_path, "quick-1", status="discarded", reason="disturbed by cc1")
    new_run(tmp_path, "quick-2")
    assert evidence.document("discard", "quick-1") == {"run": "quick-1", "reason": "disturbed by cc1"}
    assert "disturbed by cc1" in (tmp_path / "research" / "register.toml").read_text("utf-8")
    assert evidence("discard", "quick-2") == 2
    assert "give your reason, --reason" in evidence.err


def test_run_ends_with_the_answer(tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five lines after the folder; as JSON one document, and everything else on stderr."""
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    tiny_repository(tmp_path)
    assert evidence("run", "--plan", "tiny", "--json") == 0
    document = json.loads(evidence.out)
    assert len(document["answer"]) == 5
    assert document["status"] == "complete"
    assert (tmp_path / "runs" / document["run"] / "results.json").exists()
    assert "time: about" in evidence.err
    assert evidence("run", "--plan", "tiny") == 0
    assert evidence.out.splitlines()[0].startswith("runs/tiny-")
    assert len(evidence.out.splitlines()) == 6


def test_dry_run_prints_and_stops(tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time, memory and disk are told; no folder is made."""
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    tiny_repository(tmp_path)
    assert evidence("run", "--plan", "tiny", "--dry-run", "--json") == 0
    assert tuple(json.loads(evidence.out)["seconds"]) == EXPERIMENTS
    assert all(what in evidence.err for what in ("time: about", "memory: ", "disk: "))
    assert not (tmp_path / "runs").exists()


def test_run_that_the_program_discards_fails(
    tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that were not in memory make a failed check, with the reason."""
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    monkeypatch.setattr("speclab.measure.residency._lack_of_room", lambda *_: ["no room"])
    tiny_repository(tmp_path)
    assert evidence("run", "--plan", "tiny") == 1
    assert "does not count: no room" in evidence.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--plan", "nope"], "there is no plan 'nope' in research/plans; take one of: tiny"),
        (["run", "--plan", "tiny", "--k", "1,x"], "--k 1,x: whole numbers"),
        (["run", "--plan", "tiny", "--k", "2,2"], "name at least one k, and each once"),
        (["run", "--plan", "tiny", "--k", "0"], "the plan tiny with --k 0 is none"),
        (["run", "--plan", "tiny", "--dtype", "int4"], "the plan tiny with --dtype int4 is none: pair.dtype"),
        (["run", "--plan", "tiny", "--prompts", "none.jsonl"], "none.jsonl cannot be read"),
        (["run", "--plan", "tiny"], "unknown model 'table-target'"),
        (["run", "quick-1"], "quick-1 is named without --resume"),
        (["run", "--resume", "--dry-run"], "take one of them"),
        (["run", "--resume"], "there is no unfinished run in"),
        (["run", "--resume", "../up"], "is no run id"),
        (["show", "../../etc"], "is no run id"),
        (["check", "A"], "is no run id"),
    ],
)
def test_wrong_use_is_one_line(tmp_path: Path, evidence: Command, arguments: list[str], said: str) -> None:
    """Exit code 2, nothing on stdout, and what to do."""
    small_repository(tmp_path)
    tiny_repository(tmp_path)
    (tmp_path / "research" / "plans" / "quick.toml").unlink()
    assert evidence(*arguments) == 2
    assert said in evidence.err.splitlines()[-1]
    assert "Traceback" not in evidence.err
    assert not evidence.out


def test_outside_a_clone(tmp_path: Path, evidence: Command) -> None:
    """Where no plans are, the message says where to go."""
    assert evidence("list") == 2
    assert "run this command inside a clone" in evidence.err
    assert not list(tmp_path.iterdir())


def test_shipped_command_is_recorded(tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is written down as typed, without the program's path and with the home folder as `~`."""
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    monkeypatch.setenv("HOME", str(tmp_path))
    tiny_repository(tmp_path)
    (tmp_path / "my prompts.jsonl").write_text('{"id": "x", "kind": "odd", "prompt": "words"}\n', encoding="utf-8")
    arguments = ["run", "--plan", "tiny", "--prompts", f"{tmp_path}/my prompts.jsonl"]
    monkeypatch.setattr("sys.argv", ["/opt/bin/speclab", "evidence", *arguments])
    assert evidence(*arguments) == 0
    (folder,) = (tmp_path / "runs").iterdir()
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["command"] == "speclab evidence run --plan tiny --prompts ~/'my prompts.jsonl'"
    assert str(tmp_path) not in json.dumps(record)


def test_answer_of_a_part_says_what_was_not_measured(tmp_path: Path, evidence: Command) -> None:
    """A run of one experiment that is gone on with has five lines too."""
    tiny_repository(tmp_path)
    run = run_plan(small_ask(tmp_path, "timing"), bench=SmallBench())
    assert evidence("show", run.record.id) == 0
    assert "3 timing" in evidence.out


def test_diff_tells_two_runs_apart(tmp_path: Path, evidence: Command) -> None:
    """A row a claim, and what it comes to; a run against itself is the same throughout."""
    small_repository(tmp_path, claim("c", "cost_ratio"), claim("speed", "speedup", "k = 4"))
    new_run(tmp_path, "quick-1")
    new_run(tmp_path, "quick-2", slow=3.0)
    assert evidence("diff", "quick-1", "quick-1") == 0
    assert "2 same, 0 moved, 0 not comparable" in evidence.out
    told = evidence.document("diff", "quick-1", "quick-2")
    assert [each["outcome"] for each in told["claims"]] == ["moved", "moved"]
    assert told["claims"][0]["left"]["value"] < told["claims"][0]["right"]["value"]
    assert evidence("diff", "quick-1", "nowhere") == 2


def test_diff_says_which_runs_and_why_not(
    tmp_path: Path, evidence: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids stand whole above the table, with what speaks against a run; reasons come with the claims they keep."""
    monkeypatch.setattr(stdout, "_width", 60)
    claims = [claim(f"a-claim-with-a-name-{number}", "speedup", "k = 4") for number in range(6)]
    small_repository(tmp_path, claim("pass-cost", "cost_ratio"), *claims)
    new_run(tmp_path, "quick-20261130-0817-d68d", experiments=("timing",))
    new_run(tmp_path, "quick-20261130-0817-ffff", status="running")
    found = new_run(tmp_path, "quick-3")
    other = found.machine.model_copy(
        update={"processor": found.machine.processor.model_copy(update={"cores": 99})}
    )
    new_run(tmp_path, "quick-4", machine=other)
    assert evidence("diff", "quick-20261130-0817-d68d", "quick-20261130-0817-ffff") == 0
    left, right = evidence.out.splitlines()[:2]
    assert left == "left:  quick-20261130-0817-d68d: quick (timing), complete"
    assert right.startswith("right: quick-20261130-0817-ffff: quick")
    assert right.endswith(", killed")
    assert "│a-claim-with-a-name-5 " in evidence.out
    assert "…" not in evidence.out
    assert evidence("discard", "quick-3", "--reason", "the fan stood still") == 0
    assert evidence("diff", "quick-3", "quick-4") == 0
    assert evidence.out.splitlines()[0].endswith(", discarded (the fan stood still)")
    assert "7 not comparable" in evidence.out
    assert evidence.out.splitlines()[-1] == (
        "- 7 not comparable: another machine: pass-cost, a-claim-with-a-name-0, a-claim-with-a-name-1, "
        "a-claim-with-a-name-2, a-claim-with-a-name-3 and 2 more"
    )


def test_list_names_what_a_part_measured(tmp_path: Path, evidence: Command) -> None:
    """The run of a single command is not to be taken for a whole one."""
    small_repository(tmp_path)
    whole = new_run(tmp_path, "quick-1")
    new_run(tmp_path, "quick-1", experiments=whole.plan.experiments)
    new_run(tmp_path, "quick-2", experiments=("margins",))
    runs = evidence.document("list")["runs"]
    assert [each["plan"] for each in runs] == ["quick", "quick (margins)"]
    assert runs[1]["experiments"] == ["margins"]


def test_check_fresh_fails_on_code_that_changed(tmp_path: Path, evidence: Command) -> None:
    """The simulated run executed a loop that is not here."""
    small_repository(tmp_path, claim("c", "cost_ratio"))
    new_run(tmp_path, "quick-1")
    assert evidence("adopt", "quick-1") == 0
    assert evidence("check") == 0
    assert evidence("check", "--fresh") == 1
    assert "quick-1: stale: src/speclab/decoding/loop.py is gone" in evidence.err


def test_check_fresh_of_a_damaged_run_is_still_one_document(tmp_path: Path, evidence: Command) -> None:
    """What cannot be read is a fault of its own; nothing is said of its freshness."""
    small_repository(tmp_path, claim("c", "cost_ratio"))
    new_run(tmp_path, "quick-1")
    assert evidence("adopt", "quick-1") == 0
    (tmp_path / "research/runs/quick-1/run.json").write_text("{", encoding="utf-8")
    assert evidence("check", "--fresh", "--json") == 1
    faults = json.loads(evidence.out)["faults"]
    assert any("research/runs/quick-1" in each for each in faults)
    assert not any("stale" in each for each in faults)
