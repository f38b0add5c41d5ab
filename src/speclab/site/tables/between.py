"""How far runs of one plan lie apart, beside what each of them says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import ks_of
from speclab.site.blocks import block
from speclab.site.building import current
from speclab.site.cells import Cells
from speclab.site.html import Html, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from collections.abc import Iterator


@block
def between_runs(run_id: str | None = None) -> str:
    """Speed-ups and costs in the run that a plan shows and in each run beside it, and how far they lie apart."""
    register = current().register
    # The chapter's plan by its name is the chapter's run, whose numbers are bound to the register.
    shown = Cells(None if run_id == register.current.main else run_id)
    record = shown.run.record
    beside = register.shown.beside(shown.run)
    if not beside:
        return f'<p class="lab-note">No run stands beside {run_link(record.id)} yet: one run tells no spread.</p>'
    runs = [shown, *(Cells(each.record.id) for each in beside)]
    return table(
        f"The plan {record.plan.name} measured {len(runs)} times on one machine",
        ("number", "largest over smallest", *(f"run {n}" for n in range(1, len(runs) + 1))),
        "lr" + "r" * len(runs),
        _rows(runs),
        note=Html(
            text("Each run is a process of its own, with the same plan, weights, code and machine. Below a value ")
            + text("stands its own interval at ")
            + number("given.confidence")
            + text(", which knows nothing of the other runs. In order: ")
            + ", ".join(run_link(each.run.record.id) for each in runs)
            + "."
        ),
    )


def _rows(runs: list[Cells]) -> Iterator[tuple[object, ...]]:
    ks = ks_of(runs[0].run)
    for k in ks:
        yield _row(runs, f"speed-up at k = {k}", ".2f", "speedup", k=k)
    yield _row(runs, "plain against plain", ".3f", "noise_floor")
    yield _row(runs, "cost ratio c", ".2f", "cost_ratio")
    for k in ks:
        yield _row(runs, f"verify ratio v({k + 1})", ".2f", "verify_ratio", n=k + 1)


def _row(runs: list[Cells], label: str, form: str, name: str, **where: object) -> tuple[object, ...]:
    apart = runs[0]("between_runs", ".3f", of=name, **where)
    return (label, apart, *(run(name, form, **where) for run in runs))
