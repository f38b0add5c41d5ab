"""The page of one run: how it was made, and everything that its rows say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.records.reader import RECORD, RESULTS, find_run
from speclab.records.rows import (
    DisagreementCell,
    DistributionCell,
    DivergenceCell,
    ExactnessCell,
    MarginsCell,
    SpeedCell,
    TimingCell,
)
from speclab.site.building import current
from speclab.site.html import Html, said, text
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from speclab.records.reader import Run

# Heading, the kind of cell that it needs, and the blocks below it.
_SECTIONS = (
    (
        "What a pass costs",
        TimingCell,
        ("figures.pass_time", "tables.pass_times", "tables.cost_ratios", "tables.iterations"),
    ),
    ("How much faster", SpeedCell, ("figures.speedup", "tables.speedups", "tables.shares", "tables.predictions")),
    ("How often guesses are right", SpeedCell, ("tables.acceptance",)),
    ("Whether outputs are equal", DivergenceCell, ("tables.identical_outputs", "tables.divergences")),
    ("Whether samples follow the law", DistributionCell, ("tables.distribution",)),
    ("Where the models differ most", DisagreementCell, ("figures.disagreement", "tables.disagreement")),
    (
        "Whether the rules are exact",
        ExactnessCell,
        ("tables.exactness_right", "tables.exactness_mistakes", "tables.exactness_caches"),
    ),
    (
        "How rare near-ties are in float32",
        MarginsCell,
        ("figures.margins", "tables.margins", "tables.constructed_ties"),
    ),
)


# Whoever searches looks for the chapter; rows, digests and tables of every run would hide it.
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


def run_page(run_id: str) -> str:
    """Markdown of a run's page.

    A discarded run need not be whole: its page then says what is wrong with it, and offers what is left.
    """
    title = f"{NOT_SEARCHED}# Run `{run_id}`\n\n"
    try:
        run = run_of(run_id)
    except InputError as error:
        discard = current().register.discards.get(run_id)
        if discard is None:
            raise
        kept = find_run(run_id, current().root)
        files = [f"[`{name}`]({run_id}/{name})" for name in (RECORD, RESULTS) if (kept / name).is_file()]
        left = f"What is left of it: {' and '.join(files)}." if files else "Nothing is left of it."
        fault = str(error).replace(f"{current().root}/", "")
        why = (Html(f"This run is discarded: {said(discard.reason)}."), text(f"It cannot be shown: {fault}"))
        return title + "".join(f"<p>{each}</p>\n\n" for each in why) + f"{left}\n"
    return title + run_sections(run, session=run_id, raw=run_id)


def run_sections(run: Run, *, session: str, raw: str) -> str:
    """Everything below the title.

    Args:
        run: Finished, stopped or discarded.
        session: Of the executed blocks.
        raw: Folder of the files to download, relative to the page.
    """
    held = {type(cell) for cell in run.results.cells}
    parts = [_block(session, "from speclab.site import figures, tables")]
    offered = "`run.json`" if run.record.results_sha256 is None else None
    files = f"[`run.json`]({raw}/run.json)" + ("" if offered else f" and [`{RESULTS}`]({raw}/{RESULTS})")
    parts.append(f"The record and the raw rows, as they were measured: {files}.")
    parts += [
        _call(session, "tables.notice", run),
        _heading("How it was made"),
        _call(session, "tables.origin", run),
    ]
    if len(run.record.plan.speed.samplings) > 1 and SpeedCell in held:
        parts += [_heading("By sampling"), _call(session, "tables.samplings", run)]
    for heading, needed, blocks in _SECTIONS:
        if needed in held:
            parts += [_heading(heading), *(_call(session, name, run) for name in blocks)]
    parts += [
        _heading("Machine, memory, models and prompts"),
        *(
            _call(session, name, run)
            for name in ("tables.machine", "tables.memory", "tables.models", "tables.prompts")
        ),
        _heading("The first rows"),
        _call(session, "tables.first_rows", run),
    ]
    return "\n\n".join(parts) + "\n"


def _heading(text: str) -> str:
    return f"## {text}"


def _call(session: str, name: str, run: Run) -> str:
    return _block(session, f'print({name}("{run.record.id}"))')


def _block(session: str, code: str) -> str:
    return f'```python exec="1" html="1" session="{session}"\n{code}\n```'
