"""How much faster, and where the time goes."""

from __future__ import annotations

from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.evidence.estimates.speed import (
    draft_share,
    noise_floor,
    overhead_share,
    plain_tokens_per_second,
    speedup,
    verify_share,
)
from speclab.site.blocks import block
from speclab.site.html import Html, shown, table, text
from speclab.site.runs import run_of


@block
def speedups(run_id: str | None = None) -> str:
    """Speed-up by kind of text and number of proposals, with the absolute baseline and the noise floor."""
    run = run_of(run_id)
    ks = ks_of(run)
    kinds: tuple[str | None, ...] = (*kinds_of(run), None)
    rows = [
        (
            kind or "all kinds",
            shown(plain_tokens_per_second(run, kind=kind), ".2f"),
            *(shown(speedup(run, k=k, kind=kind), ".2f") for k in ks),
        )
        for kind in kinds
    ]
    noise = shown(noise_floor(run), ".3f").replace("<br>", ", ")
    return table(
        f"Speed-up over plain decoding by kind and k, run {run.record.id}",
        ("kind", "plain, tokens/s", *(f"k = {k}" for k in ks)),
        "lr" + "r" * len(ks),
        rows,
        note=Html(
            text("Decode time of plain over decode time of the arm: same prompt, same block, same number of tokens. ")
            + f"Plain against plain, the noise floor: {noise}."
        ),
    )


@block
def shares(run_id: str | None = None) -> str:
    """Where decode time goes, by number of proposals."""
    run = run_of(run_id)
    rows = [
        (
            f"k = {k}",
            shown(draft_share(run, k=k), ".1%"),
            shown(verify_share(run, k=k), ".1%"),
            shown(overhead_share(run, k=k), ".2%"),
        )
        for k in ks_of(run)
    ]
    return table(
        f"Where decode time goes, run {run.record.id}",
        ("", "drafting", "checking", "everything else"),
        "lrrr",
        rows,
    )
