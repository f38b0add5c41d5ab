"""`speclab timing`: what a pass costs, and what the two models weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from speclab.cli.part import add_part

if TYPE_CHECKING:
    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    says = "Time passes over one token and many, for both models: c, v(n), and the memory they take."
    add_part(app, "timing", says, ("timing",), _sheets)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.timing import sheets

    return sheets(run)
