"""`speclab speed`: how much faster, by k and kind, and where the time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from speclab.cli.part import add_part

if TYPE_CHECKING:
    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command. It times passes first: the prediction is made of c and v(n)."""
    says = "Measure plain against every k in turns: speed-up by k and kind, its noise, where the time goes."
    add_part(app, "speed", says, ("timing", "speed"), _sheets, no_temperature=None)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.speed import sheets

    return sheets(run)
