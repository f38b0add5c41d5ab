"""How close the two likeliest tokens are in float32, and what the shape of a pass changes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.margins import SMALL_GAP, margin_lengths, margins_cells
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import Html, table, text, token
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from speclab.records.rows import MarginsCell


@block
def margins(run_id: str | None = None) -> str:
    """What passes over more tokens change, and after how many tokens that is expected to decide one."""
    cell = Cells(run_id)
    rows = [
        (
            length,
            cell("largest_shape_change", ".1e", length=length),
            cell("mean_gap_change", ".1e", length=length),
            cell("shape_flips", ".0f", length=length),
            cell("tokens_to_divergence", ".1e", length=length),
        )
        for length in margin_lengths(cell.run)
    ]
    columns = (
        "tokens in the pass",
        "largest change of a logit",
        "mean change of a gap",
        "rows decided otherwise",
        "tokens to one such row, expected",
    )
    return table(
        f"The draft in float32 against passes over one token, run {cell.run.record.id}",
        columns,
        "rrrrr",
        rows,
        note="A gap is the distance of the two largest logits of a row. Expected: 2 / (density of the gaps at "
        f"zero × mean change). The density is the share of gaps under {SMALL_GAP:g}, over {SMALL_GAP:g}.",
    )


@block
def constructed_ties(run_id: str | None = None) -> str:
    """For each text the smallest gap, and a bias on one logit that lets the length of the pass decide."""
    run = run_of(run_id)
    rows = [(cell.prompt, len(cell.gaps), f"{min(cell.gaps):.2e}", *_tie(cell)) for cell in margins_cells(run)]
    return table(
        f"Constructed ties in float32, run {run.record.id}",
        ("text", "rows", "smallest gap", "at new token", "bias", "pass over one", "pass over more"),
        "lrrrrll",
        rows,
        note="The bias is added to the second logit of one row. It is the gap that one of the two passes leaves "
        "there: after that pass the two logits are equal and the lower id is taken, after the other they are not.",
    )


def _tie(cell: MarginsCell) -> tuple[object, ...]:
    tie = cell.constructed.value
    if tie is None:
        return "–", "–", text(cell.constructed.reason), "–"
    biased = tie.text if tie.biased == tie.token else tie.other_text
    bias = Html(f"{tie.bias:.9g}<br><small>on {token(biased)}</small>")
    longer = Html(f"{token(tie.other_text)}<br><small>{tie.length} tokens</small>")
    return tie.row + 1, bias, token(tie.text), longer
