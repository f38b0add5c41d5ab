"""What the walks over all outcomes say: how exact the right ways are, how wrong the mistakes."""

from typing import Literal, TypeAlias

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import Enumerated, ExactnessCell

Group: TypeAlias = Literal["right", "mistakes", "target cache", "draft cache"]
"""Ways that have to be exact; rules and proposers that must not be; faults of either cache."""
WHOLE = "temperature 1"
"""The sampling that leaves a law as the model gives it."""
_COUNTED = "every outcome is counted, none is sampled"


def exactness_cells(
    run: Run, *, group: Group | None = None, subject: str | None = None
) -> tuple[ExactnessCell, ...]:
    """The walks of a group, or of one subject.

    Raises:
        EmptySelectionError: When there is none.
    """
    there = [cell for cell in run.results.cells if isinstance(cell, ExactnessCell)]
    chosen = tuple(cell for cell in there if group in (None, group_of(cell)) and subject in (None, cell.subject))
    if not chosen:
        has = ", ".join(cell.subject for cell in there)
        msg = f"run {run.record.id} holds {f'no such walk; it has: {has}' if there else 'no walk over outcomes'}"
        raise EmptySelectionError(msg)
    return chosen


def group_of(cell: ExactnessCell) -> Group:
    """Which group a walk belongs to."""
    if cell.part in {"target cache", "draft cache"}:
        return "target cache" if cell.part == "target cache" else "draft cache"
    return "right" if cell.exact else "mistakes"


@named()
def walks(run: Run, *, group: Group | None = None) -> Estimate:
    """Rules, proposers and caches that were walked; n counts the configurations."""
    cells = exactness_cells(run, group=group)
    return _counted(len(cells), sum(len(cell.configurations) for cell in cells), "configurations")


@named()
def walks_failed(run: Run, *, group: Group | None = None) -> Estimate:
    """Walks that did not come out as they must; n counts the walks."""
    cells = exactness_cells(run, group=group)
    return _counted(sum(cell.verdict == "failed" for cell in cells), len(cells), "walks")


@named()
def paths_walked(run: Run, *, group: Group | None = None) -> Estimate:
    """Paths of decisions that were walked; n counts the configurations."""
    rows = _rows(run, group, None)
    return _counted(sum(row.paths for row in rows), len(rows), "configurations")


@named()
def largest_law_error(run: Run, *, group: Group = "right", subject: str | None = None) -> Estimate:
    """Largest difference of a sequence's probability from the exact one; n counts the configurations."""
    rows = _rows(run, group, subject)
    return _counted(max(row.largest_error for row in rows), len(rows), "configurations", unit="share")


@named()
def wrong_by(
    run: Run,
    *,
    end: Literal["smallest", "largest"] = "smallest",
    group: Group = "mistakes",
    subject: str | None = None,
) -> Estimate:
    """Total variation of the output's law from the target's, at one end; n counts the configurations."""
    found = [row.total_variation for row in _rows(run, group, subject)]
    number = min(found) if end == "smallest" else max(found)
    return _counted(number, len(found), "configurations", unit="share")


@named()
def draft_distance(run: Run) -> Estimate:
    """Smallest total variation of the laws of target and noisy draft at temperature 1, nothing cut from either."""
    noisy = [row for row in _rows(run, None, None) if row.draft == "noisy"]
    rows = [row for row in noisy if row.target_sampling == row.draft_sampling == WHOLE]
    return _counted(min(row.smallest_distance for row in rows), len(rows), "configurations", unit="share")


def _rows(run: Run, group: Group | None, subject: str | None) -> list[Enumerated]:
    return [row for cell in exactness_cells(run, group=group, subject=subject) for row in cell.configurations]


def _counted(value: float, n: int, of: str, *, unit: Literal["count", "share"] = "count") -> Estimate:
    return Estimate(value=value, n=n, of=of, unit=unit, reason=_COUNTED)
