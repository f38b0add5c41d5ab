"""How far runs of one plan lie apart: what the interval of a single run cannot tell."""

from speclab.errors import CheckError
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.registry import estimate, named
from speclab.records.reader import Run

FEWEST_RUNS = 2


@named(several=True)
def between_runs(runs: tuple[Run, ...], *, of: str, **where: object) -> Estimate:
    """Largest over smallest of another estimate, over runs of one plan on one machine.

    An interval within a run says how prompts differ. Each run is a process of its own with a moment of its own,
    and what that does is seen between runs alone.

    Args:
        runs: The one that the plan shows, and those beside it.
        of: Name of the other estimate.
        where: Its conditions.

    Raises:
        EmptySelectionError: When there are fewer than two runs, or one of them has no such value.
        CheckError: When a value is not above zero, and so has no factor.
    """
    if len(runs) < FEWEST_RUNS:
        record = runs[0].record
        msg = (
            f"no run stands beside {record.id}: measure the plan {record.plan.name} again and keep the run with "
            "`speclab evidence adopt RUN --beside`"
        )
        raise EmptySelectionError(msg)
    values = [estimate(of, run, where).number() for run in runs]
    low, high = min(values), max(values)
    if low <= 0:
        msg = f"{of} is {low:g} in one of the runs, and only numbers above 0 lie a factor apart"
        raise CheckError(msg)
    reason = f"a range of {len(runs)} runs ({', '.join(run.record.id for run in runs)})"
    return Estimate(value=high / low, n=len(values), of="runs", reason=reason)
