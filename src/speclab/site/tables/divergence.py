"""Whether outputs equal plain's, and why where they do not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import ks_of
from speclab.evidence.estimates.divergence import divergence_cells, identical_runs
from speclab.site.blocks import block
from speclab.site.html import Html, table, text, token
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.rows import Way


@block
def identical_outputs(run_id: str | None = None) -> str:
    """How many outputs equal plain's, token for token."""
    run = run_of(run_id)
    rows = [
        ("plain, repeated", _of(identical_runs(run, arm="plain_again"))),
        *((f"k = {k}", _of(identical_runs(run, k=k))) for k in ks_of(run)),
    ]
    return table(
        f"Outputs equal to plain's, run {run.record.id}", ("arm", "identical, of all compared"), "lr", rows
    )


@block
def divergences(run_id: str | None = None) -> str:
    """Every first difference with what settles it."""
    run = run_of(run_id)
    rows = [
        (
            cell.prompt,
            f"k = {each.k}" if each.arm == "draft" else "plain, repeated",
            each.index + 1,
            Html(f"{token(each.plain_text)}<br>{token(each.arm_text)}"),
            _number(each.gap),
            _number(each.spacing),
            _number(each.noise),
            _favours(each.ways),
            _favours(each.float32) if each.float32 else text(each.float32_reason or "–"),
            each.verdict,
        )
        for cell in divergence_cells(run)
        for each in cell.differences
    ]
    if not rows:
        return "<p>Every output of this run equals that of plain decoding, token for token.</p>"
    dtype = run.record.plan.pair.dtype
    return table(
        f"First differences from plain, run {run.record.id}",
        ("prompt", "arm", "token", "plain, arm", "gap", "spacing", "noise", dtype, "float32", "verdict"),
        "llrlrrrlll",
        rows,
        note="Gap: the smallest distance between the two tokens' logits over the ways of computing them. Spacing: "
        "between neighbouring numbers of the dtype there. Noise: how far either logit moves between those ways. "
        "The next two columns count, over the ways of computing them, which of the two tokens is ahead: plain's, "
        "the arm's, or neither where they are level.",
    )


def _of(found: Estimate) -> str:
    return f"{found.number():.0f} of {found.n}"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _favours(ways: Sequence[Way]) -> str:
    counted = Counter(way.favours for way in ways)
    return ", ".join(f"{favoured} {times}" for favoured, times in counted.most_common())
