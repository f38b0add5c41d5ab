"""A run from its plan to its folder: begun, gone on with, or only estimated."""

from __future__ import annotations

import errno
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.ask import read_inputs
from speclab.experiments.bench import RealBench
from speclab.experiments.home import without_home
from speclab.experiments.measuring import experiments, measure, measuring_modules
from speclab.experiments.overrides import Overrides
from speclab.experiments.prepare import prepare
from speclab.experiments.resume import ask_again, find_unfinished, require_same_pair, require_same_plan
from speclab.experiments.sources import Sources
from speclab.experiments.watch import Silent
from speclab.measure.machine import machine, moment
from speclab.measure.residency import holdings, judge
from speclab.measure.verdict import crowded_out
from speclab.records.folder import RunFolder, tidy
from speclab.records.lock import measuring
from speclab.records.run import RunRecord
from speclab.records.same import require_same_machine

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.experiments.ask import Ask
    from speclab.experiments.bench import Bench
    from speclab.experiments.estimate import Estimate
    from speclab.experiments.prepare import Prepared
    from speclab.experiments.watch import Watch
    from speclab.measure.residency import Holdings
    from speclab.models.report import Report
    from speclab.records.reader import Run


def run_plan(ask: Ask, watch: Watch | None = None, bench: Bench | None = None) -> Run:
    """Measure a plan, or some experiments of it, into a new run folder.

    Args:
        ask: Plan, experiments, overrides.
        watch: Shown what happens; nobody by default.
        bench: The models and the device; the real ones by default.

    Returns:
        The finished run. Its status is `discarded`, with the reason, where the weights were not resident, or where
        other programs disturbed most blocks.

    Raises:
        InputError: Before anything is measured, when the run cannot begin as asked.
        KeyboardInterrupt: After the run was left so that `resume_run` goes on with it; so does any other error.
    """
    watch, bench = watch or Silent(), bench or RealBench()
    inputs = read_inputs(ask)
    run_id = new_run_id(ask.plan)
    with measuring(run_id):
        tidy(ask.runs)
        sources = Sources.take(ask.repository, inputs.files, measuring_modules(inputs.experiments))
        prepared = prepare(ask, inputs, bench, watch)
        state = bench.state(prepared.plan.pair.device)
        record = RunRecord(
            id=run_id,
            command=ask.command,
            plan=prepared.plan,
            plan_sha256=inputs.plan_sha256,
            overrides=tuple(ask.overrides),
            fallback=prepared.fallback,
            experiments=inputs.experiments,
            sources=sources.digests,
            commit=sources.commit,
            dirty=sources.dirty,
            packages=sources.packages,
            machine=machine(state),
            target=prepared.pair.target.record,
            draft=prepared.pair.draft.record,
            prompts=tuple(prompt.record for prompt in prepared.prompts),
            started=datetime.now(UTC),
            status="running",
        )
        return _measured(RunFolder.create(ask.runs, record), prepared, bench, watch)


def resume_run(
    repository: Path,
    *,
    run_id: str | None = None,
    plan: str | None = None,
    overrides: Overrides | None = None,
    fetch: Report | None = None,
    watch: Watch | None = None,
    bench: Bench | None = None,
) -> Run:
    """Go on with an unfinished run, on the same machine and with the same code.

    Args:
        repository: Where it lies.
        run_id: Which; the newest unfinished one by default.
        plan: Of which plan, where no run is named.
        overrides: Those of the command line; none, or those of the run.
        fetch: Told how far a download is; None where nothing may be downloaded.
        watch: Shown what happens.
        bench: The models and the device.

    Raises:
        InputError: When there is none, or plan, code, packages, weights or machine are not what they were.
    """
    watch, bench = watch or Silent(), bench or RealBench()
    found = find_unfinished(repository, run_id=run_id, plan=plan)
    ask = ask_again(found, repository, overrides or Overrides(), fetch)
    with measuring(found.id):
        tidy(ask.runs)
        folder = RunFolder.open(ask.runs / found.id)
        record = folder.record
        inputs = read_inputs(ask)
        require_same_plan(record, inputs)
        sources = Sources.take(repository, inputs.files, measuring_modules(record.experiments))
        sources.require_same(record.sources, record.packages)
        require_same_machine(record, machine(bench.state(record.plan.pair.device)))
        prepared = prepare(ask, inputs, bench, watch, begun=record)
        require_same_pair(record, prepared.pair)
        watch.say(f"going on with {record.id}: {len(folder.cells)} cells are there")
        folder.update(status="running", reason=None, ended=None, resumed=(*record.resumed, datetime.now(UTC)))
        return _measured(folder, prepared, bench, watch)


def estimate_plan(ask: Ask, watch: Watch | None = None, bench: Bench | None = None) -> Estimate:
    """Do everything up to the first measurement, and stop there."""
    inputs = read_inputs(ask)
    with measuring(f"{ask.plan}-dry-run"):
        return prepare(ask, inputs, bench or RealBench(), watch or Silent()).estimate


def new_run_id(plan: str) -> str:
    """An id that sorts by time within a plan, for instance `quick-20261130-1432-ab12`."""
    return f"{plan}-{datetime.now(UTC):%Y%m%d-%H%M}-{secrets.token_hex(2)}"


def _measured(folder: RunFolder, prepared: Prepared, bench: Bench, watch: Watch) -> Run:
    """Measure, and leave the folder in a state that says what happened, whatever happens."""
    device = prepared.plan.pair.device
    watch.say(f"run {folder.record.id}")
    loaded = holdings(bench.state(device))
    try:
        seconds = measure(experiments(folder.record.experiments), prepared, folder, bench, watch)
        return _finished(folder, dict(seconds), loaded, bench, watch)
    except BaseException as error:
        _leave(folder, error, watch)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            msg = f"no disk space left in {folder.path.parent}: make room, then {resume_command(folder.record.id)}"
            raise InputError(msg) from None
        raise


def _leave(folder: RunFolder, error: BaseException, watch: Watch) -> None:
    """Say in the folder why the run stopped, and to the person how to go on."""
    if folder.record.results_sha256 is not None:
        return  # the error came after the end
    stopped = isinstance(error, KeyboardInterrupt)
    reason = "stopped with Ctrl-C" if stopped else f"{type(error).__name__}: {without_home(str(error))}"
    # On a full disk the record stays as it was; such a run is gone on with like a killed one.
    with suppress(OSError):
        folder.update(status="interrupted" if stopped else "failed", reason=reason[:500], ended=datetime.now(UTC))
    watch.say(f"{folder.kept} cells are kept; go on with: {resume_command(folder.record.id)}")


def _finished(folder: RunFolder, seconds: dict[str, float], loaded: Holdings, bench: Bench, watch: Watch) -> Run:
    """Judge the run and write its results."""
    record = folder.record
    state = bench.state(record.plan.pair.device)
    cells = tuple(folder.cells.values())
    memory = judge(record.target, record.draft, cells, loaded=loaded, ended=holdings(state))
    if record.resumed:
        note = f"measured in {len(record.resumed) + 1} parts; the peak is that of the last"
        memory = memory.model_copy(update={"warnings": (*memory.warnings, note)})
    against = [why for why in (memory.reason, crowded_out(cells)) if why]
    run = folder.finish(
        status="discarded" if against else "complete",
        reason="; ".join(against) or None,
        memory=memory,
        machine=record.machine.model_copy(update={"after": moment(state)}),
        seconds=seconds,
        ended=datetime.now(UTC),
    )
    for warning in memory.warnings:
        watch.say(warning)
    return run


def resume_command(run_id: str) -> str:
    """What to type to go on with a run."""
    return f"speclab evidence run --resume {run_id}"
