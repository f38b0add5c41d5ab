"""How often guesses are right."""

from __future__ import annotations

from speclab.evidence.estimates.acceptance import alpha
from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.site.blocks import block
from speclab.site.html import shown, table
from speclab.site.runs import run_of


@block
def acceptance(run_id: str | None = None) -> str:
    """Alpha by kind of text and number of proposals."""
    run = run_of(run_id)
    ks = ks_of(run)
    kinds: tuple[str | None, ...] = (*kinds_of(run), None)
    rows = [(kind or "all kinds", *(shown(alpha(run, k=k, kind=kind), ".2f") for k in ks)) for kind in kinds]
    return table(
        f"Acceptance rate α by kind and k, run {run.record.id}",
        ("kind", *(f"k = {k}" for k in ks)),
        "l" + "r" * len(ks),
        rows,
        note="Accepted proposals over decided ones, from complete iterations. Below a rate stands its 95 % interval "
        "over prompts, where there are enough of them.",
    )
