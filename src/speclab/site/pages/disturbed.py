"""The register's section on disturbed blocks: every one of the runs that are shown, as HTML and as text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.disturbed import disturbed, unjudged
from speclab.site.building import shown_fault
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.evidence.register import Register
    from speclab.records.reader import Run

DISTURBED = "Disturbed blocks"
SAYS = (
    "What the program marked in the runs that are shown. A disturbed block is measured once more while the plan's "
    "time lasts, and the repeat counts, whatever it shows."
)


def disturbed_tables(register: Register) -> Html:
    """A table for each run, or the word that nothing was marked in it, or why it cannot be had."""
    parts: list[str] = []
    for name, runs in _shown(register).items():
        try:
            parts += map(_table, runs())
        except (CheckError, InputError) as error:
            # Named again where a number of that run is shown, and by `speclab evidence check`.
            parts.append(shown_fault(name, str(error)))
    return Html("\n\n".join(parts))


def disturbed_lines(register: Register) -> str:
    """The same as a list in Markdown."""
    lines = []
    for run in [run for runs in _shown(register).values() for run in runs()]:
        marked = [f"  - {where}: {why}; {outcome}" for where, why, outcome in _rows(run)]
        lines += [f"- `{run.record.id}`:" + ("" if marked else " none"), *marked]
    return "\n".join(lines)


def _shown(register: Register) -> dict[str, Callable[[], tuple[Run, ...]]]:
    """How to have the runs of each plan, and those that a claim cites by name."""
    ways: dict[str, Callable[[], tuple[Run, ...]]] = {}
    ways |= {plan: partial(_of_plan, register, plan) for plan in register.current.runs}
    return ways | {run_id: partial(_cited, register, run_id) for run_id in register.cited}


def _of_plan(register: Register, plan: str) -> tuple[Run, ...]:
    run = register.run(plan)
    return run, *register.shown.beside(run)


def _cited(register: Register, run_id: str) -> tuple[Run, ...]:
    return (register.shown.kept(run_id),)


def _rows(run: Run) -> list[tuple[str, str, str]]:
    marked = [(each.where, each.reason, each.outcome) for each in disturbed(run)]
    return marked + [(", ".join(places), why, "not judged") for why, places in unjudged(run).items()]


def _table(run: Run) -> Html:
    shown = run_link(run.record.id)
    rows = _rows(run)
    if not rows:
        return Html(f"<p>In {shown}: none.</p>")
    caption = f"Disturbed in {run.record.id}"
    return table(caption, ("what", "why", "what became of it"), "lll", rows, note=Html(f"Run {text(shown)}."))
