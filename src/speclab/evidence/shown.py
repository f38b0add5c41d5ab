"""The runs that the plans show and those beside them, each read when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.evidence.estimates import estimate, find_estimate
from speclab.records.reader import read_run, run_homes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from speclab.evidence.claims import Discard
    from speclab.evidence.current import Current
    from speclab.evidence.estimates import Estimate
    from speclab.evidence.estimates.registry import Where
    from speclab.records.reader import Run


class Shown:
    """What `research/current.toml` names, as runs."""

    def __init__(self, repository: Path, current: Current, discards: Mapping[str, Discard]) -> None:
        """Read nothing yet.

        Args:
            repository: Where `research/runs` lies.
            current: Which runs are meant.
            discards: Runs that nobody may cite, by id.
        """
        self._home = run_homes(repository)[1]
        self._current = current
        self._discards = discards
        self._runs: dict[str, Run] = {}

    def run(self, plan: str | None = None) -> Run:
        """The current run of a plan, or of the main plan.

        Raises:
            InputError: When there is none, when it is discarded, or when it cannot be read.
        """
        name = plan or self._current.main
        if name is None or name not in self._current.runs:
            what = f"the plan {name}" if name else "any plan"
            msg = (
                f"no run of {what} is adopted: make one with `speclab evidence run`, then `speclab evidence adopt`"
            )
            raise InputError(msg)
        return self._read(self._current.runs[name], f"current for the plan {name}")

    def kept(self, run_id: str) -> Run:
        """A run that is kept, whether or not a plan shows it.

        Raises:
            InputError: When it is not there, is discarded, is unfinished, or cannot be read.
        """
        run = self._read(run_id, "cited by a claim")
        if run.record.status != "complete":
            msg = (
                f"run {run_id} is {run.record.status}, and a claim cites complete runs only: finish or discard it"
            )
            raise InputError(msg)
        return run

    def beside(self, run: Run) -> tuple[Run, ...]:
        """The runs beside one that a plan shows; none beside any other.

        Raises:
            InputError: When one is discarded, or cannot be read.
        """
        shown = run.record.id
        plan = self._current.plan_of(shown)
        ids = self._current.beside.get(plan, ()) if plan is not None else ()
        return tuple(self._read(each, f"beside {shown}") for each in ids)

    def estimate(self, name: str, run: Run, where: Where) -> Estimate:
        """An estimate of a run, or of it and those beside it where the estimate is about several.

        Raises:
            InputError: As `speclab.evidence.estimates.estimate`, and as `beside`.
        """
        return estimate(name, run, where, beside=self.beside(run) if find_estimate(name).several else ())

    def _read(self, run_id: str, used: str) -> Run:
        if run_id in self._discards:
            msg = f"run {run_id} is discarded ({self._discards[run_id].reason}) and yet {used}"
            raise InputError(msg)
        if run_id not in self._runs:
            self._runs[run_id] = read_run(self._home / run_id)
        return self._runs[run_id]
