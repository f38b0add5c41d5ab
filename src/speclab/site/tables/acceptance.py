"""How often guesses are right."""

from __future__ import annotations

from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import Html, table, text
from speclab.site.numbers import number


@block
def acceptance(run_id: str | None = None) -> str:
    """Alpha by kind of text and number of proposals."""
    cell = Cells(run_id)
    ks = ks_of(cell.run)
    kinds: tuple[str | None, ...] = (*kinds_of(cell.run), None)
    return table(
        f"Acceptance rate α by kind and k, run {cell.run.record.id}",
        ("kind", *(f"k = {k}" for k in ks)),
        "l" + "r" * len(ks),
        [(kind or "all kinds", *(cell("alpha", ".2f", k=k, kind=kind) for k in ks)) for kind in kinds],
        note=Html(
            text("Accepted proposals over decided ones, from complete iterations. Below a rate its interval at ")
            + number("given.confidence")
            + text(" over prompts stands, where there are enough of them.")
        ),
    )
