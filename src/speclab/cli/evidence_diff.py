"""`speclab evidence diff`: two runs, claim by claim."""

from __future__ import annotations

from typing import Annotated

import typer

from speclab.cli.output import JsonFlag, OutFile, emit
from speclab.records.reader import find_run, read_run
from speclab.records.repository import find_repository

First = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN", show_default=False)]
Second = Annotated[str, typer.Argument(help="Id of another run.", metavar="OTHER", show_default=False)]


def add_to(group: typer.Typer) -> None:
    """Add the command."""

    @group.command("diff")
    def _diff(left: First, right: Second, *, as_json: JsonFlag = False, out: OutFile = None) -> None:
        """Compare two runs claim by claim: moved, same, or not comparable, and why.

        It ends with 0 whatever moved: to judge is not its part.
        """
        from speclab.cli.sheets.difference import document, sheet
        from speclab.evidence.difference import compare_runs
        from speclab.evidence.register import Register

        repository = find_repository()
        one, other = (read_run(find_run(each, repository)) for each in (left, right))
        register = Register(repository)
        found = compare_runs(one, other, register)
        shown = sheet(one, other, found, register.discards)
        emit(document(one, other, found, register.discards), shown, as_json=as_json, out=out)
