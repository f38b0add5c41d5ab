"""`speclab exactness`: the law of the loop's output, with every outcome counted. Needs no weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from speclab.cli.output import JsonFlag, OutFile, emit, line, progress, stderr
from speclab.errors import CheckError

if TYPE_CHECKING:
    from speclab.records.rows import ExactnessCell


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def exactness(*, as_json: JsonFlag = False, out: OutFile = None) -> None:
        """Walk the loop through every outcome: right rules are exact, wrong ones are found.

        It takes about a minute on a quiet core, without weights.
        """
        from speclab.cli.sheets.exactness import legend, sheet, why_failed
        from speclab.experiments.exactness.experiment import walk_subject
        from speclab.experiments.exactness.subjects import SUBJECTS
        from speclab.models.extras import LOADING, require

        require(LOADING, "the walk through real caches")
        cells: list[ExactnessCell] = []
        with progress(len(SUBJECTS), "walking") as advance:
            for subject in SUBJECTS:
                cells.append(walk_subject(subject))
                advance(cells[-1].subject)
        shown = sheet(cells)
        document = {"tables": [shown.document], "walks": [cell.model_dump(mode="json") for cell in cells]}
        try:
            emit(document, [shown.shown, *map(line, legend(cells))], as_json=as_json, out=out)
        finally:  # a document that cannot be written must not hide what was found
            for cell in cells:
                if cell.verdict == "failed":
                    stderr.print(line(why_failed(cell)), soft_wrap=True)
        check(cells)


def check(cells: list[ExactnessCell]) -> None:
    """Fail where a walk did not come out as it must.

    Raises:
        CheckError: Names the walks: a right way that is not exact, or a mistake that was not found.
    """
    failed = [cell.subject for cell in cells if cell.verdict == "failed"]
    if failed:
        msg = (
            f"{len(failed)} of {len(cells)} walks did not come out as they must: {', '.join(failed)}; the rule, "
            "the loop or a cache is not exact here, or a mistake would not be found"
        )
        raise CheckError(msg)
