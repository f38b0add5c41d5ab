"""How much faster, and where the time goes."""

from __future__ import annotations

from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import Html, table, text


@block
def speedups(run_id: str | None = None) -> str:
    """Speed-up by kind of text and number of proposals, with the absolute baseline and the noise floor."""
    cell = Cells(run_id)
    ks = ks_of(cell.run)
    kinds: tuple[str | None, ...] = (*kinds_of(cell.run), None)
    rows = [
        (
            kind or "all kinds",
            cell("plain_tokens_per_second", ".1f", kind=kind),
            *(cell("speedup", ".2f", k=k, kind=kind) for k in ks),
            cell("best_k", ".0f", kind=kind),
        )
        for kind in kinds
    ]
    noise = cell("noise_floor", ".3f").replace("<br>", ", ")
    return table(
        f"Speed-up over plain decoding by kind and k, run {cell.run.record.id}",
        ("kind", "plain, tokens/s", *(f"k = {k}" for k in ks), "best k"),
        "lr" + "r" * len(ks) + "r",
        rows,
        note=Html(
            text(
                "Decode time of plain over decode time of the arm: same prompt, same block, same number of tokens."
            )
            + f" Plain against plain, the noise floor: {noise}."
        ),
    )


@block
def shares(run_id: str | None = None) -> str:
    """Where decode time goes, by number of proposals."""
    cell = Cells(run_id)
    rows = [
        (
            f"k = {k}",
            cell("draft_share", ".0%", k=k),
            cell("verify_share", ".0%", k=k),
            cell("overhead_share", ".2%", k=k),
        )
        for k in ks_of(cell.run)
    ]
    return table(
        f"Where decode time goes, run {cell.run.record.id}",
        ("", "drafting", "checking", "everything else"),
        "lrrr",
        rows,
    )
