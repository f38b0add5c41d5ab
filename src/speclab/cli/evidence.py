"""`speclab evidence`: make runs, look at them, check them, adopt or discard them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from speclab.cli import evidence_diff, evidence_run, state
from speclab.cli.output import JsonFlag, OutFile, emit, line, table
from speclab.errors import CheckError, InputError
from speclab.records.reader import Run, find_run, read_record, read_run, run_folders, run_homes
from speclab.records.repository import find_repository

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text

    from speclab.evidence.current import Current

RunArgument = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN", show_default=False)]
OneRun = Annotated[str | None, typer.Argument(help="Id of a run.", metavar="RUN", show_default=False)]
Fresh = Annotated[bool, typer.Option("--fresh", help="Fail where the code changed since an adopted run.")]
Main = Annotated[bool, typer.Option("--main", help="Let the chapter follow its plan from here on.")]
Beside = Annotated[bool, typer.Option("--beside", help="Keep it beside the run that its plan shows.")]
Reason = Annotated[
    str | None, typer.Option(help="What no program can see; without it, the program's own.", show_default=False)
]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Make runs, look at them, check them, adopt or discard them.", no_args_is_help=True)
    app.add_typer(group, name="evidence")
    evidence_run.add_to(group)
    evidence_diff.add_to(group)

    @group.command("list")
    def _list(*, as_json: JsonFlag = False, out: OutFile = None) -> None:
        """List the runs of this machine, and the adopted and discarded ones; in brackets what a part measured."""
        runs = [_line(folder) for home in run_homes(find_repository()) for folder in run_folders(home)]
        columns = ("run", "plan", "status", "started", "where")
        # A date and a time in two words, so that a narrow column breaks between them.
        rows = [[run[column] and run[column].replace("T", " ") for column in columns] for run in runs]
        shown = table("Runs", columns, rows) if runs else "no run is here yet: `speclab evidence run` makes one"
        emit({"runs": runs}, [shown], as_json=as_json, out=out)

    @group.command("show")
    def _show(run_id: RunArgument, *, as_json: JsonFlag = False, out: OutFile = None) -> None:
        """Show how a run was made, what it holds, and its answer where it is whole."""
        from speclab.evidence.answer import answer

        run = read_run(find_run(run_id, find_repository()))
        answered = answer(run) if run.record.status == "complete" else []
        document = {"record": run.record.model_dump(mode="json"), "cells": _cells(run), "answer": answered}
        shown = [table(run_id, ("what", "value"), _facts(run)), *map(line, answered)]
        emit(document, shown, as_json=as_json, out=out)

    @group.command("check")
    def _check(
        run_id: OneRun = None, *, fresh: Fresh = False, as_json: JsonFlag = False, out: OutFile = None
    ) -> None:
        """Check the adopted runs, the register and its claims; with RUN, that run too."""
        from speclab.evidence.checks import check, stale

        repository = find_repository()
        faults = [*check(repository), *(stale(repository) if fresh else ())]
        if run_id is not None:
            faults = [*_faults(find_run(run_id, repository)), *faults]
        emit(
            {"faults": faults},
            [line(each) for each in faults or ["all runs and claims are sound"]],
            as_json=as_json,
            out=out,
        )
        if faults:
            msg = f"{len(faults)} {'faults' if len(faults) > 1 else 'fault'} found: {faults[0]}"
            raise CheckError(msg)

    @group.command("adopt")
    def _adopt(
        run_id: RunArgument,
        *,
        main: Main = False,
        beside: Beside = False,
        as_json: JsonFlag = False,
        out: OutFile = None,
    ) -> None:
        """Make a run the one that its plan, and the pages, show; or keep it beside that one."""
        from speclab.evidence.adopt import adopt, adopt_beside
        from speclab.evidence.current import read_current

        if beside:
            _require_shown(main=main)
            runs = adopt_beside(run_id, find_repository())
            shown = f"{run_id} now stands beside {runs[0]}: {len(runs)} runs of one plan"
            emit({"run": run_id, "beside": runs[0], "runs": runs}, [line(shown)], as_json=as_json, out=out)
            return
        before = read_current(find_repository())
        document, said = _adopted(run_id, before, adopt(run_id, find_repository(), main=main))
        emit(document, said, as_json=as_json, out=out)

    @group.command("discard")
    def _discard(
        run_id: RunArgument, reason: Reason = None, *, as_json: JsonFlag = False, out: OutFile = None
    ) -> None:
        """Take a run out of use, with the reason; both stay in the register."""
        from speclab.evidence.adopt import discard

        stands = discard(run_id, reason, find_repository())
        shown = f"{run_id} is discarded and stands in the register: {stands}"
        emit({"run": run_id, "reason": stands}, [line(shown)], as_json=as_json, out=out)


def _adopted(run_id: str, before: Current, current: Current) -> tuple[dict[str, Any], list[Text]]:
    """What became of it, for programs and for people; the runs that stood beside the one before are named."""
    plan = current.plan_of(run_id) or ""
    left = tuple(each for each in before.beside.get(plan, ()) if each not in current.together(plan))
    shown = [f"the plan {plan} now shows {run_id}; the chapter follows the plan {current.main}"]
    if left:
        remedy = "`speclab evidence adopt RUN --beside` puts back those of the same code"
        shown.append(f"beside the run before stood {', '.join(left)}, and now nothing does: {remedy}")
    return {"run": run_id, "plan": plan, "main": current.main, "left": left}, list(map(line, shown))


def _require_shown(*, main: bool) -> None:
    if main:
        msg = "a run beside another is not the one that is shown: leave out --main or --beside"
        raise InputError(msg)


def _line(folder: Path) -> dict[str, Any]:
    where = "adopted" if folder.parent.parent.name == "research" else "new"
    try:
        record = read_record(folder)
    except InputError as error:
        unknown = dict.fromkeys(("plan", "experiments", "started"))
        return {"run": folder.name, **unknown, "status": "unreadable", "where": where, "reason": str(error)}
    return {
        "run": record.id,
        "plan": state.plan(record),
        "experiments": record.experiments,
        "status": state.status(record),
        "started": record.started.isoformat(timespec="minutes"),
        "where": where,
        "reason": record.reason,
    }


def _cells(run: Run) -> dict[str, int]:
    return dict(Counter(cell.experiment for cell in run.results.cells))


def _facts(run: Run) -> list[tuple[str, object]]:
    record = run.record
    processor, gpu = record.machine.processor, record.machine.gpu
    peak = record.memory.peak_bytes.value if record.memory else None
    return [
        ("status", state.status(record) + (f": {record.reason}" if record.reason else "")),
        ("command", record.command),
        ("plan", f"{record.plan.name}: {record.plan.says}"),
        ("departures", ", ".join(record.overrides) or "none"),
        (
            "pair",
            f"{record.target.name} / {record.draft.name}, {record.target.dtype} on {record.plan.pair.device}",
        ),
        ("fallback", record.fallback),
        ("weights", record.target.history),
        ("machine", f"{processor.model.value or processor.model.reason}, {processor.cores} cores"),
        ("card", gpu.model if gpu else None),
        ("prompts", len(record.prompts)),
        ("cells", ", ".join(f"{count} {name}" for name, count in _cells(run).items())),
        ("minutes", ", ".join(f"{name} {seconds / 60:.1f}" for name, seconds in record.seconds.items())),
        ("peak memory", None if peak is None else f"{peak / 1e9:.1f} GB"),
        ("commit", f"{record.commit.value or record.commit.reason}{' and changes' if record.dirty.value else ''}"),
        ("started", record.started.isoformat(timespec="minutes")),
        ("gone on", ", ".join(each.isoformat(timespec="minutes") for each in record.resumed) or None),
        ("ended", record.ended.isoformat(timespec="minutes") if record.ended else None),
    ]


def _faults(folder: Path) -> list[str]:
    try:
        read_run(folder)
    except InputError as error:
        return [str(error)]
    return []
