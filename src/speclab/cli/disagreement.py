"""`speclab disagreement`: where in the prompts the two models differ most, and what the rules do there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from speclab.cli.distribution import NO_TEMPERATURE, check
from speclab.cli.part import add_part

if TYPE_CHECKING:
    import typer

    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command. It searches the prompts alone: what plain makes of them is known to a whole run."""
    says = "Search every prompt for the contexts where the two models differ most, and test the rules there."
    found = partial(check, name="disagreement_rejections", tests="tests where the models differ most")
    add_part(app, "disagreement", says, ("disagreement",), _sheets, check=found, no_temperature=NO_TEMPERATURE)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.disagreement import sheets

    return sheets(run)
