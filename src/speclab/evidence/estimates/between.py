"""How far runs of one plan lie apart: what the interval of a single run cannot tell."""

from speclab.errors import CheckError
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.fits import End, extreme
from speclab.evidence.estimates.registry import estimate, named
from speclab.records.reader import Run

FEWEST_RUNS = 2


@named(several=True)
def between_runs(runs: tuple[Run, ...], *, of: str, **where: object) -> Estimate:
    """Largest over smallest of another estimate, over runs of one plan on one machine.

    An interval within a run says how prompts differ, or cycles. Each run is a process of its own with a moment of
    its own, and what that does is seen between runs alone.

    Args:
        runs: The one that the plan shows, and those beside it.
        of: Name of the other estimate.
        where: Its conditions.

    Raises:
        EmptySelectionError: When there are fewer than two runs, or one of them has no such value.
        CheckError: When a value is not above zero, and so has no factor.
    """
    found = _of_each(runs, of, where)
    values = [each.number() for each in found]
    low, high = min(values), max(values)
    if low <= 0:
        run = runs[values.index(low)].record.id
        msg = f"{of} is {low:g} in run {run}, and only numbers above 0 lie a factor apart: ask for extreme_of_runs"
        raise CheckError(msg)
    return Estimate(value=high / low, n=len(values), of="runs", reason=f"a range of {_named(runs)}")


@named(several=True)
def extreme_of_runs(runs: tuple[Run, ...], *, of: str, take: End, **where: object) -> Estimate:
    """Smallest or largest of another estimate, over runs of one plan on one machine.

    For numbers that may be below zero, as an error may: those lie no factor apart.

    Args:
        runs: The one that the plan shows, and those beside it.
        of: Name of the other estimate.
        take: Which of the two.
        where: The other estimate's conditions.

    Raises:
        EmptySelectionError: When there are fewer than two runs, or one of them has no such value.
    """
    found = _of_each(runs, of, where)
    values = [each.number() for each in found]
    return extreme(values, take, unit=found[0].unit, of="runs", among=_named(runs))


def _of_each(runs: tuple[Run, ...], of: str, where: dict[str, object]) -> list[Estimate]:
    if len(runs) < FEWEST_RUNS:
        record = runs[0].record
        msg = (
            f"no run stands beside {record.id}: keep another of the plan {record.plan.name} there with "
            "`speclab evidence adopt RUN --beside`, or measure the plan again"
        )
        raise EmptySelectionError(msg)
    return [estimate(of, run, where) for run in runs]


def _named(runs: tuple[Run, ...]) -> str:
    return f"{len(runs)} runs ({', '.join(run.record.id for run in runs)})"
