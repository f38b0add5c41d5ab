"""Numbers in tables: bound to a claim where the register has one, so that each leads to its line there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.claims import Claim
from speclab.evidence.estimates import EmptySelectionError, check_where
from speclab.site.building import current
from speclab.site.escape import escape
from speclab.site.html import Html, shown, text
from speclab.site.numbers import number
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from speclab.records.reader import Run


class Cells:
    """The numbers of one run.

    Attributes:
        run: Whose.
    """

    def __init__(self, run_id: str | None) -> None:
        """Of a run by its id; without one, of the run that the chapter follows, and then bound to its claims."""
        self.run: Run = run_of(run_id)
        self._claims = {} if run_id is not None else _claims_of_main()

    def __call__(self, name: str, form: str, **where: object) -> Html:
        """One number with its interval, where it has one.

        Args:
            name: Of an estimate.
            form: How it is shown where no claim says so.
            where: The estimate's conditions.
        """
        given = {key: each for key, each in where.items() if each is not None}
        claim_id = self._claims.get(_key(name, given))
        if claim_id is None:
            try:
                return shown(current().register.shown.estimate(name, self.run, given), form)
            except EmptySelectionError as error:
                return Html(f'<span title="{escape(str(error), "attribute")}">–</span>')
        try:
            linked = number(claim_id)
        except (CheckError, InputError) as error:
            return Html(current().report(claim_id, str(error)))
        interval = current().register.value(claim_id).interval()
        return Html(f"{linked}<br><small>{text(interval)}</small>" if interval else linked)


def _claims_of_main() -> dict[tuple[str, str], str]:
    register = current().register
    current().ask("claims")
    return {
        _key(claim.estimate, claim.where): claim.id
        for claim in register.claims.values()
        if isinstance(claim, Claim) and claim.run is None and claim.plan in {None, register.current.main}
    }


def _key(name: str, where: dict[str, object]) -> tuple[str, str]:
    """An estimate and its conditions, defaults filled in."""
    return name, repr(sorted(check_where(name, where).items()))
