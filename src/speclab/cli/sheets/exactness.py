"""Tables of `speclab exactness`: every walk, and how far its law is from the target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.cli.sheets.sheet import Row
    from speclab.records.rows import ExactnessCell


def sheet(cells: Sequence[ExactnessCell]) -> Sheet:
    """A row a walk."""
    title = (
        "The law of the output, every outcome counted, against the target's own joint law\n"
        "TV: total variation of the two, smallest and largest over the configurations"
    )
    columns = ("walk", "paths", "smallest TV", "largest TV", "largest error", "verdict")
    return Sheet(title, columns, tuple(_row(cell) for cell in cells))


def _row(cell: ExactnessCell) -> Row:
    found = [each.total_variation for each in cell.configurations]
    return row(
        cell.subject,
        f"{sum(each.paths for each in cell.configurations):,}",
        f"{min(found):.2g}",
        f"{max(found):.2g}",
        f"{max(each.largest_error for each in cell.configurations):.1e}",
        cell.verdict,
    )
