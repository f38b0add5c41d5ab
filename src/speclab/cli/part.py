"""Commands that measure a part of a plan and print its tables: a small run in `runs/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from speclab.cli.asking import (
    DeviceName,
    Draft,
    DtypeName,
    Fetch,
    Ks,
    NewTokens,
    PlanName,
    PromptFile,
    Target,
    Temperature,
    TopK,
    TopP,
    cuts_of,
    overrides,
    sampling_of,
    this_command,
)
from speclab.cli.output import JsonFlag, OutFile, emit
from speclab.cli.watching import Downloads, watching
from speclab.errors import CheckError, InputError
from speclab.records.repository import find_repository

if TYPE_CHECKING:
    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_part(
    app: typer.Typer,
    name: str,
    says: str,
    experiments: tuple[str, ...],
    sheets: Callable[[Run], tuple[Sheet, ...]],
    *,
    check: Callable[[Run], None] = lambda _: None,
    no_temperature: str | None = "this measures greedy decoding and takes no temperature",
) -> None:
    """Add the command of one part.

    Args:
        app: Where to.
        name: Of the command.
        says: Its help.
        experiments: What it measures.
        sheets: The tables of the finished run.
        check: Raises `CheckError`, after the tables were shown, where the run found a fault.
        no_temperature: What to tell who asks for one; None where the arms can sample.
    """

    @app.command(name, help=says)
    def _measure(
        plan: PlanName = None,
        target: Target = None,
        draft: Draft = None,
        dtype: DtypeName = None,
        device: DeviceName = None,
        ks: Ks = None,
        prompts: PromptFile = None,
        new_tokens: NewTokens = None,
        *,
        temperature: Temperature = None,
        top_k: TopK = 0,
        top_p: TopP = 1.0,
        fetch: Fetch = False,
        as_json: JsonFlag = False,
        out: OutFile = None,
    ) -> None:
        from speclab.experiments.ask import Ask
        from speclab.experiments.bench import default_plan
        from speclab.experiments.runner import run_plan

        if no_temperature and (temperature is not None or cuts_of(top_k, top_p)):
            raise InputError(no_temperature)
        sampling = sampling_of(temperature, top_k, top_p)
        with watching() as watch:
            ask = Ask(
                repository=find_repository(),
                plan=default_plan() if plan is None else plan,
                command=this_command(),
                experiments=experiments,
                overrides=overrides(target, draft, dtype, device, ks, prompts, new_tokens, sampling),
                fetch=Downloads(watch) if fetch else None,
            )
            run = run_plan(ask, watch)
        finish(run, sheets(run), as_json=as_json, out=out)
        check(run)


def finish(run: Run, sheets: tuple[Sheet, ...], *, as_json: bool, out: OutFile) -> None:
    """Print the tables, and fail where the program itself discarded the run.

    Raises:
        CheckError: With the reason why the times do not count.
    """
    record = run.record
    document = {
        "run": record.id,
        "status": record.status,
        "reason": record.reason,
        "tables": [sheet.document for sheet in sheets],
    }
    shown = [part for sheet in sheets for part in (sheet.shown, "")]
    emit(document, [*shown, f"runs/{record.id}"], as_json=as_json, out=out)
    if record.status == "discarded":
        msg = f"run {record.id} does not count: {record.reason}"
        raise CheckError(msg)
