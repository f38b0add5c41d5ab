"""`speclab margins`: how close the two likeliest tokens are in float32, and what the shape of a pass changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.part import add_part

if TYPE_CHECKING:
    import typer

    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command. It fails on nothing: a row that falls otherwise is what it looks for."""
    says = "Measure on the draft in float32 how rare near-ties are, and construct one where a longer pass decides."
    add_part(app, "margins", says, ("margins",), _sheets)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.margins import sheets

    return sheets(run)
