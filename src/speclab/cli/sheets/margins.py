"""Tables of `speclab margins`: gaps, what the length of a pass changes, and the constructed ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import ALL, Sheet, figure, row
from speclab.evidence.estimates.margins import SMALL_GAP, margin_lengths, margins_cells

if TYPE_CHECKING:
    from speclab.records.reader import Run
    from speclab.records.rows import MarginsCell


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    return gaps(run), changes(run), ties(run)


def gaps(run: Run) -> Sheet:
    """A row a kind, and one for all."""
    kinds: tuple[str | None, ...] = (*dict.fromkeys(cell.kind for cell in margins_cells(run)), None)
    rows = tuple(
        row(
            kind or ALL,
            figure(run, "margin_rows", ".0f", kind=kind),
            figure(run, "smallest_gap", ".1e", kind=kind),
            figure(run, "gaps_below", ".0f", kind=kind),
            figure(run, "gap_density", ".2f", kind=kind),
        )
        for kind in kinds
    )
    spacing = figure(run, "logit_spacing", ".1e")
    title = (
        f"Gap of the two largest logits of the draft in float32, where neighbouring numbers lie up to {spacing} "
        f"apart.\nDensity: share of rows with a gap under {SMALL_GAP:g}, over {SMALL_GAP:g}"
    )
    return Sheet(title, ("kind", "rows", "smallest", f"under {SMALL_GAP:g}", "density"), rows)


def changes(run: Run) -> Sheet:
    """A row a length of passes."""
    rows = tuple(
        row(
            str(length),
            figure(run, "largest_shape_change", ".1e", length=length),
            figure(run, "mean_gap_change", ".1e", length=length),
            figure(run, "shape_flips", ".0f", length=length),
            figure(run, "tokens_to_divergence", ".1e", length=length),
        )
        for length in margin_lengths(run)
    )
    title = (
        "The same text in passes over more tokens, against one token a pass.\n"
        "Expected tokens to one that falls otherwise: 2 / (density x mean change of the gap)"
    )
    columns = (
        "tokens in the pass",
        "largest change of a logit",
        "mean change of the gap",
        "otherwise",
        "expected",
    )
    return Sheet(title, columns, rows)


def ties(run: Run) -> Sheet:
    """A row a text: the bias on the second logit, and what either length then chooses."""
    rows = tuple(row(cell.prompt, *_tie(cell)) for cell in margins_cells(run))
    title = (
        "A bias on the second logit of one row, equal to the gap that one length leaves: the length then decides"
    )
    return Sheet(
        title, ("text", "new token", "gap", "bias", "on", "over one", "over more", "tokens in that pass"), rows
    )


def _tie(cell: MarginsCell) -> tuple[str, ...]:
    tie = cell.constructed.value
    if tie is None:
        return "-", f"{min(cell.gaps):g}", "-", "-", "-", "-", cell.constructed.reason or ""
    return (
        str(tie.row),
        f"{tie.gap:g}",
        f"{tie.bias:.9g}",
        repr(tie.text if tie.biased == tie.token else tie.other_text),
        repr(tie.text),
        repr(tie.other_text),
        str(tie.length),
    )
