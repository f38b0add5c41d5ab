"""The register: every address that a page can cite, resolved to a value that leads back to where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from speclab.errors import InputError
from speclab.evidence.claims import FIRST_WORDS_TAKEN, PARTS, Claim
from speclab.evidence.current import read_current
from speclab.evidence.entries import FILE, place, read_entries
from speclab.evidence.estimates import value_class_of
from speclab.evidence.formulas import find_formula
from speclab.evidence.given import read_given
from speclab.evidence.plan_values import plan_value
from speclab.evidence.published import Published
from speclab.evidence.shown import Shown
from speclab.evidence.values import Value
from speclab.records.plans import find_plan

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.evidence.claims import Computed, Discard
    from speclab.evidence.current import Current
    from speclab.evidence.entries import Numbered
    from speclab.evidence.values import Part
    from speclab.records.reader import Run


class Register:
    """Everything that `research/` says, read once; build another after a change.

    Attributes:
        repository: Where `research/` lies.
        claims: Sound claims and computed values by id, in the order of the file.
        discards: Discarded runs with their reasons, by run id.
        faults: Why an entry of the register has no value, by id, with file and line.
        current: Which run each plan shows.
        shown: Those runs, and those beside them.
    """

    def __init__(self, repository: Path) -> None:
        """Read the files of `research/`; runs are read when they are first needed.

        Raises:
            InputError: When a file cannot be read as a whole.
        """
        entries = read_entries(repository)
        self.repository = repository
        self.claims: dict[str, Numbered] = entries.claims
        self.discards: dict[str, Discard] = entries.discards
        self.faults: dict[str, str] = entries.faults
        self.current: Current = read_current(repository)
        self.shown = Shown(repository, self.current, self.discards)
        self._given = read_given(repository)
        self._published = Published(repository)
        self._values: dict[str, Value] = {}
        self._resolving: list[str] = []

    def place(self, claim_id: str) -> str:
        """File, line and id of an entry, for messages."""
        return place(self.repository / FILE, claim_id)

    def run(self, plan: str | None = None) -> Run:
        """The current run of a plan, or of the main plan.

        Raises:
            InputError: When there is none, when it is discarded, or when it cannot be read.
        """
        return self.shown.run(plan)

    @property
    def cited(self) -> tuple[str, ...]:
        """Runs that claims cite by name and that no plan shows, nor stand beside one that it shows."""
        named = dict.fromkeys(
            each.run for each in self.claims.values() if isinstance(each, Claim) and each.run is not None
        )
        shown = {run for plan in self.current.runs for run in self.current.together(plan)}
        return tuple(run for run in named if run not in shown)

    def cite(self, address: str) -> tuple[Value, Part]:
        """What an address stands for, and which part of it is meant.

        Args:
            address: A claim's id, or `reported.…`, `given.…`, `plan.…`; behind a claim's, `.low`, `.high` or `.n`.

        Raises:
            InputError: When there is nothing there.
        """
        base, _, last = address.rpartition(".")
        if last in PARTS and base.partition(".")[0] not in FIRST_WORDS_TAKEN:
            return self.value(base), cast("Part", last)
        return self.value(address), "value"

    def show(self, address: str) -> str:
        """The text of an address, rounded.

        Raises:
            InputError: When there is nothing there, or no such part.
        """
        value, part = self.cite(address)
        return value.show(part)

    def number(self, address: str) -> float:
        """The unrounded number of an address.

        Raises:
            InputError: When there is none.
        """
        value, part = self.cite(address)
        return value.number(part)

    def value(self, address: str) -> Value:
        """What an address without a part stands for.

        Raises:
            InputError: When there is nothing there; a faulty entry says what is wrong with it.
        """
        if address not in self._values:
            if address in self._resolving:
                msg = f"{' -> '.join([*self._resolving, address])}: a computed value follows from itself"
                raise InputError(msg)
            self._resolving.append(address)
            try:
                self._values[address] = self._resolve(address)
            finally:
                self._resolving.pop()
        return self._values[address]

    def _resolve(self, address: str) -> Value:
        if address in self.faults:
            raise InputError(self.faults[address])
        entry = self.claims.get(address)
        if entry is not None:
            return self._claimed(entry) if isinstance(entry, Claim) else self._computed(entry)
        if address in self._given:
            return self._given[address]
        first, _, rest = address.partition(".")
        if first == "reported" and rest:
            return self._published.value(address)
        if first == "plan" and "." in rest:
            return self._planned(address)
        if first == "given":
            msg = f"there is no {address} in research/given.toml; it has: {', '.join(self._given) or 'nothing'}"
        else:
            msg = f"unknown id {address}: {FILE} has no claim of that id"
        raise InputError(msg)

    def _claimed(self, claim: Claim) -> Value:
        run = self.run(claim.plan) if claim.run is None else self.shown.kept(claim.run)
        return Value(
            address=claim.id,
            says=claim.says,
            value_class=value_class_of(claim.estimate, claim.where),
            **dict(self.shown.estimate(claim.estimate, run, claim.where)),
            format=claim.format,
            run=run.record.id,
            plan=run.record.plan.name,
            source=f"{FILE}, {claim.id}",
        )

    def _computed(self, entry: Computed) -> Value:
        formula = find_formula(entry.formula, entry.inputs)
        cited = [each for each in entry.inputs.values() if isinstance(each, str)]
        numbers = {
            name: each if isinstance(each, int) else self.number(each) for name, each in entry.inputs.items()
        }
        number = formula.function(**numbers)
        return Value(
            address=entry.id,
            says=entry.says,
            value_class="computed",
            value=number,
            unit=formula.unit or (self.cite(cited[0])[0].unit if cited else "ratio"),
            format=entry.format,
            reason=formula.none if number is None else "computed from the values, not from their intervals",
            source=f"{FILE}, {entry.id}",
            inputs=tuple(cited),
        )

    def _planned(self, address: str) -> Value:
        name = address.split(".")[1]
        plan = self.current.main if name == "main" else name
        if plan is None:
            msg = f"{address}: no plan is main yet, adopt a run first"
            raise InputError(msg)
        if plan in self.current.runs:
            record = self.run(plan).record
            source = f"research/runs/{record.id}/run.json"
            return plan_value(address, record.plan, source=source, run=record.id)
        source = f"research/plans/{plan}.toml"
        return plan_value(address, find_plan(plan, self.repository).plan, source=source, run=None)
