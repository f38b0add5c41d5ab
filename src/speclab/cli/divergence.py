"""`speclab divergence`: whether outputs equal plain decoding's, and what it is where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.part import add_part
from speclab.errors import CheckError
from speclab.records.rows import DivergenceCell

if TYPE_CHECKING:
    from collections.abc import Iterator

    import typer

    from speclab.cli.sheets.sheet import Sheet
    from speclab.records.reader import Run

NO_TEMPERATURE = (
    "divergence compares greedy outputs and takes no temperature: sampled texts differ by chance where their law "
    "is the same, so comparing them says nothing; `speclab distribution` tests the law"
)


def add_to(app: typer.Typer) -> None:
    """Add the command. It generates first, as `speed` does."""
    says = "Compare the outputs at every k with plain decoding's, and say what the first differences are."
    add_part(app, "divergence", says, ("speed", "divergence"), _sheets, check=check, no_temperature=NO_TEMPERATURE)


def check(run: Run) -> None:
    """Fail on what nothing excuses.

    Raises:
        CheckError: Naming the prompts where there is a bug, something that does not repeat, or an output that
            changed between blocks.
    """
    faults = list(_faults(run))
    if faults:
        msg = f"run {run.record.id}: {'; '.join(faults)}"
        raise CheckError(msg)


def _faults(run: Run) -> Iterator[str]:
    for cell in run.results.cells:
        if not isinstance(cell, DivergenceCell):
            continue
        whole = cell.float32_output.value
        found = [*cell.differences, *([whole.difference] if whole and whole.difference else [])]
        for each in found:
            if each.verdict in {"bug", "not repeatable"}:
                where = " in float32" if each not in cell.differences else ""
                yield f"{cell.prompt} at k = {each.k}{where}, new token {each.index}: {each.verdict}"
        for other in cell.changed:
            yield f"{cell.prompt}: {other.arm} at k = {other.k} gave another output in {', '.join(other.blocks)}"


def _sheets(run: Run) -> tuple[Sheet, ...]:
    from speclab.cli.sheets.divergence import sheets

    return sheets(run)
