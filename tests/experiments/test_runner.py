"""Whole runs of a table pair: saved cell by cell, gone on with, refused."""

from __future__ import annotations

import errno
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from lookouts import lookout
from small_bench import Noted, SmallBench, json_of, small_ask, small_repository
from speclab.backends.device import CardState
from speclab.errors import CheckError, InputError
from speclab.experiments import runner
from speclab.experiments.overrides import Overrides
from speclab.experiments.runner import estimate_plan, new_run_id, resume_command, resume_run, run_plan
from speclab.records.files import write_atomic
from speclab.records.reader import read_run, require_run_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.records.reader import Run
    from speclab.records.rows import Cell


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    # Half a second each time, and whatever else runs here is no part of these tests.
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    monkeypatch.setattr("speclab.measure.surroundings.used_by_others", dict)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one tiny plan."""
    return small_repository(tmp_path)


KEYS = [
    *(f"timing.r{cycle}" for cycle in range(3)),
    *(f"speed.{prompt}.r{turn}.a0" for turn in range(2) for prompt in ("prose-1", "code-1")),
    *(f"distribution.{prompt}.s{seed}" for prompt in ("prose-1", "code-1") for seed in range(2)),
    *(f"{part}.{prompt}" for part in ("recomputed", "divergence") for prompt in ("prose-1", "code-1")),
]


def first_attempts(run: Run) -> list[str]:
    """Keys of the cells but for repeats, which depend on the machine's mood."""
    return [cell.key for cell in run.results.cells if not cell.key.endswith(".a1")]


def stop_at(passes: int, error: BaseException) -> Callable[[int], None]:
    """Raise in place of that pass of the target."""

    def tell(count: int) -> None:
        if count == passes:
            raise error

    return tell


def test_every_experiment_is_measured_and_kept(repository: Path) -> None:
    """The cells come in order, and the folder holds what was measured and how."""
    watch = Noted()
    run = run_plan(small_ask(repository), watch, SmallBench())
    assert first_attempts(run) == KEYS
    assert run.record.status == "complete"
    assert read_run(repository / "runs" / run.record.id) == run
    assert set(run.record.seconds) == {"timing", "speed", "distribution", "divergence"}
    assert run.record.machine.after is not None
    assert run.record.memory is not None
    assert run.record.overrides == ()
    assert run.record.sources["research/plans/tiny.toml"] == run.record.plan_sha256
    assert "src/speclab/decoding/loop.py" in run.record.sources
    assert not any(path.startswith(("src/speclab/cli", "src/speclab/site")) for path in run.record.sources)
    assert watch.steps[-1][0] == watch.steps[-1][1] == len(run.results.cells)
    assert watch.steps[-1][3] == 0
    assert "time: about" in watch
    assert "memory: " in watch
    assert "disk: " in watch


def test_pair_is_reloaded_once_in_float32(repository: Path) -> None:
    """Divergence frees the pair before it loads it again, and asks twice for one load."""
    bench = SmallBench()
    run_plan(small_ask(repository), bench=bench)
    assert [pair.dtype for pair in bench.loads] == ["bfloat16", "float32"]


def test_some_experiments_alone(repository: Path) -> None:
    """A single command runs its part of the plan, and the record says so."""
    run = run_plan(small_ask(repository, "timing"), bench=SmallBench())
    assert first_attempts(run) == KEYS[:3]
    assert run.record.experiments == ("timing",)
    assert set(run.record.seconds) == {"timing"}


def test_unknown_experiment(repository: Path) -> None:
    """A name that is none is refused."""
    with pytest.raises(InputError, match="there are timing, speed, traces, distribution, disagreement, "):
        run_plan(small_ask(repository, "guessing"), bench=SmallBench())


@pytest.mark.parametrize("passes", [3, 20, 60, 120])
def test_ctrl_c_keeps_every_cell_and_says_how_to_go_on(repository: Path, passes: int) -> None:
    """Stopped anywhere, the run is interrupted, and going on completes it without measuring a cell twice."""
    watch = Noted()
    with pytest.raises(KeyboardInterrupt):
        run_plan(small_ask(repository), watch, SmallBench(each_pass=stop_at(passes + 30, KeyboardInterrupt())))
    (folder,) = (repository / "runs").iterdir()
    stopped = read_run(folder)
    assert stopped.record.status == "interrupted"
    assert stopped.record.reason == "stopped with Ctrl-C"
    assert resume_command(folder.name) in watch.said[-1]
    before = {path.name: path.read_bytes() for path in (folder / "cells").iterdir()}

    seen: list[Cell] = []
    run = resume_run(repository, bench=SmallBench())
    assert run.record.id == folder.name
    assert first_attempts(run) == KEYS
    assert run.record.status == "complete"
    assert run.record.reason is None
    assert len(run.record.resumed) == 1
    seen.extend(run.results.cells[: len(before)])
    assert tuple(seen) == stopped.results.cells
    assert run.record.memory is not None
    assert "measured in 2 parts" in run.record.memory.warnings[-1]


def test_failure_is_recorded_and_nothing_is_lost(repository: Path) -> None:
    """Any error leaves a run that says why, and that can be gone on with."""
    watch = Noted()
    with pytest.raises(RuntimeError, match="the cable came loose"):
        run_plan(
            small_ask(repository), watch, SmallBench(each_pass=stop_at(90, RuntimeError("the cable came loose")))
        )
    (folder,) = (repository / "runs").iterdir()
    failed = read_run(folder)
    assert failed.record.status == "failed"
    assert failed.record.reason == "RuntimeError: the cable came loose"
    assert len(failed.results.cells) > 3
    run = resume_run(repository, run_id=folder.name, bench=SmallBench())
    assert first_attempts(run) == KEYS


def test_full_disk_is_one_line_and_loses_nothing(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for a cell, and none for the status: what was saved is still gone on with."""
    real = write_atomic

    def full(path: Path, data: str | bytes) -> None:
        if (path.parent.parent / "run.json").exists() and len(list(path.parent.iterdir())) == 4:
            monkeypatch.setattr("speclab.records.folder.write_atomic", nothing_fits)
            nothing_fits(path, data)
        real(path, data)

    def nothing_fits(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("speclab.records.folder.write_atomic", full)
    with pytest.raises(InputError, match=r"no disk space left in .*runs: make room, then speclab evidence run"):
        run_plan(small_ask(repository), bench=SmallBench())
    monkeypatch.setattr("speclab.records.folder.write_atomic", real)
    (folder,) = (repository / "runs").iterdir()
    assert read_run(folder).record.status == "running"
    assert len(read_run(folder).results.cells) == 4
    assert first_attempts(resume_run(repository, bench=SmallBench())) == KEYS


def test_error_after_the_end_does_not_undo_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C once the results are written leaves a complete run."""

    class Late(Noted):
        def say(self, message: str) -> None:
            if "taken, more" in message:
                raise KeyboardInterrupt

    def judge(*_: Any, **__: Any) -> Any:
        from speclab.records.base import Reading
        from speclab.records.run import Memory

        return Memory(
            peak_bytes=Reading[int](value=1),
            weights_resident=Reading[bool](value=True),
            warnings=("9 GB of 9 GB were taken, more than 95%",),
        )

    monkeypatch.setattr(runner, "judge", judge)
    with pytest.raises(KeyboardInterrupt):
        run_plan(small_ask(repository, "timing"), Late(), SmallBench())
    (folder,) = (repository / "runs").iterdir()
    assert read_run(folder).record.status == "complete"


def test_run_without_its_weights_in_memory_is_discarded_by_the_program(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are kept, the status and the reason say that they do not count."""

    def judge(*_: Any, **__: Any) -> Any:
        from speclab.records.base import Reading
        from speclab.records.run import Memory

        return Memory(
            peak_bytes=Reading[int](value=1), weights_resident=Reading[bool](value=False), reason="read from disk"
        )

    monkeypatch.setattr(runner, "judge", judge)
    run = run_plan(small_ask(repository, "timing"), bench=SmallBench())
    assert run.record.status == "discarded"
    assert run.record.reason == "read from disk"
    assert read_run(repository / "runs" / run.record.id) == run


def test_run_beside_another_program_is_discarded_by_the_program(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks were repeated and met it again; both reasons stand where there are two."""
    busy = lookout({"cc1": 0.9}).since()
    monkeypatch.setattr("speclab.measure.surroundings.Lookout.since", lambda _: busy)
    run = run_plan(small_ask(repository, "speed"), bench=SmallBench())
    assert run.record.status == "discarded"
    assert run.record.reason == "4 of the 4 blocks that count, more than half, were disturbed by cc1"
    assert [cell.key for cell in run.results.cells if cell.key.endswith(".a1")] == [
        key.replace(".a0", ".a1") for key in KEYS if key.startswith("speed")
    ]
    assert read_run(repository / "runs" / run.record.id) == run
    monkeypatch.setattr("speclab.measure.residency._lack_of_room", lambda *_: ["no room"])
    both = run_plan(small_ask(repository, "speed"), bench=SmallBench())
    assert both.record.reason == f"no room; {run.record.reason}"


def interrupted(repository: Path, **options: Any) -> str:
    """A run that was stopped after a few cells; its id."""
    with pytest.raises(KeyboardInterrupt):
        run_plan(small_ask(repository, **options), bench=SmallBench(each_pass=stop_at(90, KeyboardInterrupt())))
    return next(iter((repository / "runs").iterdir())).name


def test_resume_on_another_machine_is_refused(repository: Path) -> None:
    """Both machines are named."""
    run_id = interrupted(repository)
    with pytest.raises(InputError, match=r"begun on another machine \(.* 1 threads.*this is .* 2 threads"):
        resume_run(repository, bench=SmallBench(threads=2))
    assert read_run(repository / "runs" / run_id).record.status == "interrupted"


def test_run_of_a_graphics_card_is_not_gone_on_with_elsewhere(repository: Path) -> None:
    """A record of a simulated card stands in for a CUDA machine."""
    path = repository / "runs" / interrupted(repository) / "run.json"
    record = json_of(path)
    gone = {"reason": "simulated"}
    record["machine"]["gpu"] = {"model": "Simulated Card", "memory_bytes": 2**34} | dict.fromkeys(
        ("driver", "cuda", "ecc"), gone
    )
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=r"Simulated Card; this is .*no card"):
        resume_run(repository, bench=SmallBench())


def test_resume_after_the_plan_changed_is_refused(repository: Path) -> None:
    """One run follows one plan."""
    interrupted(repository)
    path = repository / "research" / "plans" / "tiny.toml"
    path.write_text(path.read_text("utf-8") + "\n# better\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"tiny\.toml changed since run"):
        resume_run(repository, bench=SmallBench())


def test_resume_after_a_source_changed_is_refused(repository: Path) -> None:
    """A prompt file is a source as the code is; the message names the file."""
    interrupted(repository)
    path = repository / "research" / "prompts" / "ours.toml"
    path.write_text(path.read_text("utf-8") + "\n# better\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"the file research/prompts/ours\.toml changed since this run began"):
        resume_run(repository, bench=SmallBench())


def test_resume_after_a_package_changed_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version computes other times."""
    interrupted(repository)
    monkeypatch.setattr("speclab.experiments.sources.packages", lambda: {"numpy": "0.1"})
    with pytest.raises(InputError, match="the package numpy"):
        resume_run(repository, bench=SmallBench())


def test_resume_with_other_weights_is_refused(repository: Path) -> None:
    """The same name with another digest is another model."""
    interrupted(repository)
    with pytest.raises(InputError, match="table-target is not what it was"):
        resume_run(repository, bench=SmallBench(sha256="cd" * 32))


def test_nothing_to_resume(repository: Path) -> None:
    """No run, a finished one, and one of another plan are told apart."""
    with pytest.raises(InputError, match="there is no unfinished run in"):
        resume_run(repository, bench=SmallBench())
    run = run_plan(small_ask(repository, "timing"), bench=SmallBench())
    with pytest.raises(InputError, match="is complete, nothing of it is left"):
        resume_run(repository, run_id=run.record.id, bench=SmallBench())
    with pytest.raises(InputError, match="there is no unfinished run of the plan tiny"):
        resume_run(repository, plan="tiny", bench=SmallBench())
    with pytest.raises(InputError, match="is one of the plan tiny, not of cpu"):
        resume_run(repository, run_id=run.record.id, plan="cpu", bench=SmallBench())
    with pytest.raises(InputError, match="is no run id"):
        resume_run(repository, run_id="../x", bench=SmallBench())


def test_newest_unfinished_run_is_taken(repository: Path) -> None:
    """Of several, the one that was measured last; a damaged folder among them is passed over."""
    first = interrupted(repository)
    shutil.copytree(repository / "runs" / first, repository / "runs" / "tiny-broken")
    with pytest.raises(KeyboardInterrupt):
        run_plan(small_ask(repository), bench=SmallBench(each_pass=stop_at(90, KeyboardInterrupt())))
    (second,) = {path.name for path in (repository / "runs").iterdir()} - {first, "tiny-broken"}
    assert resume_run(repository, bench=SmallBench()).record.id == second
    assert resume_run(repository, bench=SmallBench()).record.id == first


def test_overrides_are_recorded_and_kept_by_resume(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Other k and prompts are in the record, and going on takes them from there."""
    other = tmp_path_factory.mktemp("prompts") / "some.jsonl"
    other.write_text('{"id": "x/1", "kind": "odd", "prompt": "words"}\n', encoding="utf-8")
    run_id = interrupted(repository, ks=(3, 1), prompts=other)
    record = read_run(repository / "runs" / run_id).record
    assert record.overrides == ("--k 3,1", f"--prompts {other}")
    assert record.plan.speed.ks == (3, 1)
    assert record.plan.timing.lengths == (1, 2, 3, 4, 5)
    assert record.plan.prompts == ("x.1",)
    assert record.sources["some.jsonl"]
    with pytest.raises(InputError, match="was begun with --k 3,1"):
        resume_run(repository, overrides=Overrides(ks=(2,)), bench=SmallBench())
    run = resume_run(repository, overrides=Overrides(ks=(3, 1), prompts=other), bench=SmallBench())
    assert "speed.x.1.r0.a0" in first_attempts(run)


def test_plan_over_its_budget_is_refused(repository: Path) -> None:
    """The message holds both times; nothing is left behind."""
    small_repository(repository, budget_minutes=1, timing={"cycles": 20_000_000})
    with pytest.raises(InputError, match=r"would take about \d+ min here .* its budget is 1 min"):
        run_plan(small_ask(repository), bench=SmallBench())
    assert not list((repository / "runs").glob("*"))


def test_too_little_memory_is_refused_before_loading(repository: Path) -> None:
    """The message holds both amounts."""
    small_repository(repository, memory_gb=1e6)
    bench = SmallBench()
    with pytest.raises(InputError, match=r"needs 1000000\.0 GB of memory \(as the plan says\) and .* GB are free"):
        run_plan(small_ask(repository), bench=bench)
    assert not bench.loads


def test_too_little_memory_on_the_card(repository: Path) -> None:
    """On a card it is the card's memory that counts."""
    pair = {"target": "a", "draft": "b", "dtype": "float16", "device": "cuda"}
    small_repository(repository, memory_gb=8.0, pair=pair)
    card = CardState("Simulated Card", "GPU-1", "13.0", 132, 2**34, 2**32, 0, 0)
    with pytest.raises(InputError, match=r"needs 8\.0 GB .* 4\.3 GB are free on the card"):
        run_plan(small_ask(repository), bench=SmallBench(card=card))


def test_missing_models_are_named_or_fetched(repository: Path) -> None:
    """Without leave to download, the message says what brings them; the disk is looked at first."""
    with pytest.raises(InputError, match="`speclab fetch table-draft` brings it"):
        run_plan(small_ask(repository, "timing"), bench=SmallBench(absent=("table-draft",)))
    told: list[str] = []
    ask = small_ask(repository, "timing")
    fetching = type(ask)(
        ask.repository, ask.plan, ask.command, ask.experiments, fetch=lambda what, *_: told.append(what)
    )
    assert run_plan(fetching, bench=SmallBench(absent=("table-draft",))).record.status == "complete"
    assert told == ["table-draft: downloading"]
    small_repository(repository, disk_gb=1e9)
    with pytest.raises(InputError, match=r"fetching table-draft needs .* of disk"):
        run_plan(fetching, bench=SmallBench(absent=("table-draft",)))


def gated(pair: Any) -> None:
    """Refuse the plan's pair as the hub does."""
    if pair.target == "table-target":
        msg = "access to table-target is restricted"
        raise InputError(msg)


def test_fallback_pair_is_taken_and_said(repository: Path) -> None:
    """Where the pair cannot be had, the plan's other one is; it is no override, and resume stays with it."""
    other = {"target": "spare-target", "draft": "spare-draft", "dtype": "float16", "device": "cpu"}
    small_repository(repository, fallback=other)
    watch = Noted()
    bench = SmallBench(refuse=gated, each_pass=stop_at(90, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        run_plan(small_ask(repository), watch, bench)
    run = resume_run(repository, bench=SmallBench(refuse=gated))
    assert run.record.fallback == "access to table-target is restricted"
    assert run.record.overrides == ()
    assert run.record.plan.pair.target == "spare-target"
    assert run.record.plan.pair.dtype == "float16"
    assert run.record.target.name == "spare-target"
    assert "take the place of the plan's pair: access" in watch


def test_no_fallback_for_a_pair_that_was_asked_for(repository: Path) -> None:
    """Who names a model gets it or an error."""
    other = {"target": "spare-target", "draft": "spare-draft", "dtype": "float16", "device": "cpu"}
    small_repository(repository, fallback=other)
    with pytest.raises(InputError, match="is restricted"):
        run_plan(small_ask(repository, draft="mine"), bench=SmallBench(refuse=gated))


def test_dry_run_measures_nothing(repository: Path) -> None:
    """It tells the estimate and leaves no folder."""
    watch = Noted()
    estimate = estimate_plan(small_ask(repository, "timing", "speed"), watch, SmallBench())
    assert estimate.total > 0
    assert set(estimate.seconds) == {"timing", "speed"}
    assert "from passes timed just now" in watch
    assert not (repository / "runs").exists()


def test_second_estimate_comes_from_the_first_run(repository: Path) -> None:
    """What the same plan took on this machine is the better estimate; another machine's is not taken."""
    run = run_plan(small_ask(repository), bench=SmallBench())
    estimate = estimate_plan(small_ask(repository), bench=SmallBench())
    assert estimate.basis == f"as run {run.record.id} took"
    assert estimate.total == pytest.approx(sum(run.record.seconds.values()))
    assert "just now" in estimate_plan(small_ask(repository), bench=SmallBench(threads=3)).basis
    assert "just now" in estimate_plan(small_ask(repository, ks=(1,)), bench=SmallBench()).basis


def test_one_measurement_at_a_time(repository: Path) -> None:
    """A second run is refused while one measures, and leaves nothing."""

    refused: list[str] = []

    def again(count: int) -> None:
        if count == 12:
            with pytest.raises(InputError) as refusal:
                run_plan(small_ask(repository), bench=SmallBench())
            refused.append(str(refusal.value))

    run = run_plan(small_ask(repository, "timing"), bench=SmallBench(each_pass=again))
    assert [f"{run.record.id} is being measured on this machine" in each for each in refused] == [True]
    assert len(list((repository / "runs").iterdir())) == 1


def test_logits_that_decide_nothing_end_in_one_line(repository: Path) -> None:
    """A fault of the model fails the run with its cell and its position."""
    with pytest.raises(CheckError, match="the target's logits"):
        run_plan(
            small_ask(repository),
            bench=SmallBench(each_pass=stop_at(90, CheckError("the target's logits for position 3 hold NaN"))),
        )


def test_home_is_not_published(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of a run holds the path of the home folder, whatever the error or the override says."""
    home = repository / "home" / "ann"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    other = home / "some.jsonl"
    other.write_text('{"id": "x", "kind": "odd", "prompt": "words"}\n', encoding="utf-8")
    error = RuntimeError(f"cannot read {home}/weights")
    with pytest.raises(RuntimeError):
        run_plan(
            small_ask(repository, prompts=other, target=f"{home}/model"),
            bench=SmallBench(each_pass=stop_at(90, error)),
        )
    (folder,) = (repository / "runs").iterdir()
    text = (folder / "run.json").read_text("utf-8")
    record = json_of(folder / "run.json")
    assert record["overrides"] == ["--target ~/model", "--prompts ~/some.jsonl"]
    assert record["plan"]["pair"]["target"] == "~/model"
    assert record["reason"] == "RuntimeError: cannot read ~/weights"
    assert str(home) not in text.replace(record["target"]["name"], "")
    assert resume_run(repository, bench=SmallBench()).record.status == "complete"


def test_run_ids_are_ids() -> None:
    """A new id is one by the rule, and no two are alike."""
    ids = {new_run_id("quick") for _ in range(50)}
    assert len(ids) == 50
    assert all(require_run_id(each).startswith("quick-20") for each in ids)
