"""`speclab distribution`: whether sampled tokens follow the target's law, and where the test could see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.part import add_part
from speclab.errors import CheckError

if TYPE_CHECKING:
    import typer

    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run

NO_TEMPERATURE = (
    "the temperature of distribution stands in the plan: take a plan with another distribution.temperature"
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    says = (
        "Test the first sampled token after each context against the target's law: one right rule, two wrong ones."
    )
    add_part(app, "distribution", says, ("distribution",), _sheets, check=check, no_temperature=NO_TEMPERATURE)


def check(run: Run, name: str = "family_rejections", tests: str = "tests") -> None:
    """Fail where the right rule does not follow the target's law.

    Args:
        run: Finished.
        name: Of the estimate that counts its rejections.
        tests: Which ones, in words.

    Raises:
        CheckError: When any of its tests is rejected after Holm's correction over all of them.
    """
    from speclab.evidence.estimates import estimate

    found = estimate(name, run, {"rule": "ratio"})
    if found.value:
        rate = run.record.plan.distribution.false_alarm
        msg = (
            f"run {run.record.id}: {found.value:.0f} of {found.n} {tests} reject the right rule at a family-wise "
            f"false-alarm rate of {rate:g}: sampled tokens do not follow the law"
        )
        raise CheckError(msg)


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.distribution import sheets

    return sheets(run)
