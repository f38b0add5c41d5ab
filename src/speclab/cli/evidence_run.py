"""`speclab evidence run`: measure a plan, go on with a run, or only estimate it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from speclab.cli.asking import (
    DeviceName,
    Draft,
    DtypeName,
    Fetch,
    Ks,
    PlanName,
    PromptFile,
    Target,
    overrides,
    this_command,
)
from speclab.cli.output import JsonFlag, OutFile, emit, line, printable
from speclab.cli.watching import Downloads, watching
from speclab.errors import CheckError, InputError
from speclab.records.repository import find_repository

if TYPE_CHECKING:
    from speclab.records.reader import Run

Resume = Annotated[bool, typer.Option("--resume", help="Go on with RUN, or with the newest unfinished run.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the estimate of time, memory and disk, and stop.")]
Which = Annotated[
    str | None, typer.Argument(help="With --resume: which run.", metavar="[RUN]", show_default=False)
]


def add_to(group: typer.Typer) -> None:
    """Add the command."""

    @group.command("run")
    def _run(
        run_id: Which = None,
        plan: PlanName = None,
        target: Target = None,
        draft: Draft = None,
        dtype: DtypeName = None,
        device: DeviceName = None,
        ks: Ks = None,
        prompts: PromptFile = None,
        *,
        resume: Resume = False,
        dry_run: DryRun = False,
        fetch: Fetch = False,
        as_json: JsonFlag = False,
        out: OutFile = None,
    ) -> None:
        """Measure a plan into a run folder; ends with the answer in five lines."""
        if run_id is not None and not resume:
            msg = f"{run_id} is named without --resume: a new run finds its own id"
            raise InputError(msg)
        if resume and dry_run:
            msg = "--resume goes on measuring and --dry-run measures nothing: take one of them"
            raise InputError(msg)
        from speclab.experiments.ask import Ask
        from speclab.experiments.bench import default_plan
        from speclab.experiments.runner import estimate_plan, resume_run, run_plan

        repository = find_repository()
        departures = overrides(target, draft, dtype, device, ks, prompts)
        with watching() as watch:
            download = Downloads(watch) if fetch else None
            if resume:
                run = resume_run(
                    repository, run_id=run_id, plan=plan, overrides=departures, fetch=download, watch=watch
                )
            else:
                ask = Ask(
                    repository=repository,
                    plan=default_plan() if plan is None else plan,
                    command=this_command(),
                    overrides=departures,
                    fetch=download,
                )
                if dry_run:
                    estimate = estimate_plan(ask, watch)
                    document = {"plan": ask.plan, "seconds": estimate.seconds, "basis": estimate.basis}
                    emit(document, [], as_json=as_json, out=out)
                    return
                run = run_plan(ask, watch)
        finish(run, as_json=as_json, out=out)


def finish(run: Run, *, as_json: bool, out: OutFile) -> None:
    """Print the answer, and fail where the program itself discarded the run."""
    from speclab.evidence.answer import answer

    lines = answer(run)
    document = {"run": run.record.id, "status": run.record.status, "reason": run.record.reason, "answer": lines}
    shown = [line(printable(each)) for each in (f"runs/{run.record.id}", *lines)]
    emit(document, shown, as_json=as_json, out=out)
    if run.record.status == "discarded":
        msg = f"run {run.record.id} does not count: {run.record.reason}"
        raise CheckError(msg)
