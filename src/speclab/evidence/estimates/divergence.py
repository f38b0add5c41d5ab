"""Whether outputs equal plain's, and what the first differences were."""

from typing import Literal, TypeAlias

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import ArmName, Comparison, DivergenceCell

Verdict: TypeAlias = Literal["tie", "shape numerics", "bug", "not repeatable"]
_COUNTED = "counted, not sampled"


def divergence_cells(
    run: Run, *, kind: str | None = None, prompt: str | None = None
) -> tuple[DivergenceCell, ...]:
    """The prompts of a kind, each with its comparisons.

    Raises:
        EmptySelectionError: When there is none.
    """
    there = [cell for cell in run.results.cells if isinstance(cell, DivergenceCell)]
    chosen = tuple(cell for cell in there if kind in (None, cell.kind) and prompt in (None, cell.prompt))
    if not chosen:
        has = ", ".join(dict.fromkeys(cell.kind for cell in there))
        what = f"no comparison of kind {kind!r}, prompt {prompt!r}; it has: {has}" if there else "no comparisons"
        msg = f"run {run.record.id} holds {what}"
        raise EmptySelectionError(msg)
    return chosen


@named()
def identical_runs(
    run: Run, *, arm: ArmName = "draft", k: int | None = None, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """Outputs that equal plain's, token for token; n counts the outputs compared."""
    compared = _comparisons(run, arm, k, kind, prompt)
    same = sum(each.identical for each in compared)
    return Estimate(value=same, n=len(compared), of="outputs", unit="count", reason=_COUNTED)


@named()
def differing_runs(
    run: Run, *, arm: ArmName = "draft", k: int | None = None, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """Outputs that differ from plain's somewhere; n counts the outputs compared."""
    compared = _comparisons(run, arm, k, kind, prompt)
    other = sum(not each.identical for each in compared)
    return Estimate(value=other, n=len(compared), of="outputs", unit="count", reason=_COUNTED)


@named()
def first_differences(
    run: Run, *, verdict: Verdict | None = None, k: int | None = None, kind: str | None = None
) -> Estimate:
    """First differences of one verdict, each counted once however often it came; n counts those of any verdict."""
    there = [each for cell in divergence_cells(run, kind=kind) for each in cell.differences if k in (None, each.k)]
    chosen = sum(verdict in (None, each.verdict) for each in there)
    return Estimate(value=chosen, n=len(there), of="first differences", unit="count", reason=_COUNTED)


@named()
def changed_outputs(run: Run, *, kind: str | None = None) -> Estimate:
    """Configurations whose output was not the same in every block; n counts those with more than one block."""
    cells = divergence_cells(run, kind=kind)
    seen = [(cell.prompt, each.arm, each.k) for cell in cells for each in cell.comparisons]
    several = {each for each in seen if seen.count(each) > 1}
    if not several:
        reason = "every configuration ran once, so nothing could change"
        return Estimate(value=None, n=0, of="configurations", unit="count", reason=reason)
    changed = sum(len(cell.changed) for cell in cells)
    return Estimate(value=changed, n=len(several), of="configurations", unit="count", reason=_COUNTED)


def _comparisons(run: Run, arm: ArmName, k: int | None, kind: str | None, prompt: str | None) -> list[Comparison]:
    there = [
        each
        for cell in divergence_cells(run, kind=kind, prompt=prompt)
        for each in cell.comparisons
        if each.arm == arm
    ]
    chosen = [each for each in there if k in (None, each.k)]
    if not chosen:
        ks = ", ".join(map(str, sorted({each.k for each in there}))) or "none"
        msg = f"run {run.record.id} compared no output of the arm {arm} at k = {k}; k there: {ks}"
        raise EmptySelectionError(msg)
    return chosen
