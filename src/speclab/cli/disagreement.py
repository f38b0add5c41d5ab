"""`speclab disagreement`: where in the prompts the two models differ most, and what the rules do there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.distribution import NO_TEMPERATURE
from speclab.cli.part import add_part
from speclab.errors import CheckError

if TYPE_CHECKING:
    import typer

    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run


def add_to(app: typer.Typer) -> None:
    """Add the command. It searches the prompts alone: what plain makes of them is known to a whole run."""
    says = "Search every prompt for the contexts where the two models differ most, and test the rules there."
    add_part(app, "disagreement", says, ("disagreement",), _sheets, check=check, no_temperature=NO_TEMPERATURE)


def check(run: Run) -> None:
    """Fail where the right rule does not follow the target's law.

    Raises:
        CheckError: When any of its tests is rejected after Holm's correction over all of them.
    """
    from speclab.evidence.estimates import estimate

    found = estimate("disagreement_rejections", run, {"rule": "ratio"})
    if found.value:
        msg = (
            f"run {run.record.id}: {found.value:.0f} of {found.n} tests where the models differ most reject the "
            f"right rule at a family-wise false-alarm rate of {run.record.plan.distribution.false_alarm:g}"
        )
        raise CheckError(msg)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.disagreement import sheets

    return sheets(run)
