"""`speclab acceptance`: how often guesses are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from speclab.cli.part import add_part

if TYPE_CHECKING:
    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command. It generates first, as `speed` does."""
    says = "Count how often guesses are right: alpha by kind, prompt and k, tokens per iteration, histogram."
    add_part(app, "acceptance", says, ("speed",), _sheets, no_temperature=None)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.acceptance import sheets

    return sheets(run)
