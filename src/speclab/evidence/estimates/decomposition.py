"""A formula beside each measurement, in two ways that are named apart.

The *decomposition* uses a block's own acceptance, step times and overhead: what remains is what the formula
misses. The *prediction* uses what one knows before switching it on: c and v from `timing`, alpha from other
prompts, and no overhead. An error above 0 means that the formula promises too much.
"""

import math
from collections.abc import Callable

from speclab.evidence.estimates.acceptance import tally_of
from speclab.evidence.estimates.blocks import arm_of, blocks, ks_of, means_by_kind, plain_ns
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.pooling import geometric
from speclab.evidence.estimates.registry import named
from speclab.evidence.estimates.speed import log_speedup
from speclab.evidence.estimates.timing import cost_ratio, verify_ratio
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell
from speclab.theory import cost

REFERENCE_K = 4
"""A prediction takes alpha at this k, or at the largest measured one below it."""


@named("computed", sampled=True)
def decomposed_speedup(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """What the formula gives from each block's own alpha, step times and overhead."""
    return geometric(means_by_kind(blocks(run, kind=kind, prompt=prompt), _decomposed(k)))


@named("computed", sampled=True)
def decomposition_error(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Decomposition / measurement - 1: what the formula misses even with a block's own numbers."""
    return _error(blocks(run, kind=kind, prompt=prompt), k, _decomposed(k))


@named("computed", sampled=True)
def predicted_speedup(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """What the formula gives from c, v and the alpha of the other prompts of the kind, or of all kinds."""
    return geometric(means_by_kind(blocks(run, kind=kind, prompt=prompt), _predicted(run, k)))


@named("computed", sampled=True)
def prediction_error(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Prediction / measurement - 1: how far off one is before switching it on."""
    return _error(blocks(run, kind=kind, prompt=prompt), k, _predicted(run, k))


def reference_k(run: Run) -> int:
    """The k whose alpha predictions use."""
    ks = ks_of(run)
    return max((k for k in ks if k <= REFERENCE_K), default=min(ks))


def _error(cells: tuple[SpeedCell, ...], k: int, formula: Callable[[SpeedCell], float]) -> Estimate:
    ratio = geometric(means_by_kind(cells, lambda cell: formula(cell) - log_speedup(cell, "draft", k)))
    ends = {
        name: None if end is None else end - 1
        for name, end in (("value", ratio.value), ("low", ratio.low), ("high", ratio.high))
    }
    return Estimate.model_validate(dict(ratio) | ends)


def _decomposed(k: int) -> Callable[[SpeedCell], float]:
    def formula(cell: SpeedCell) -> float:
        row = arm_of(cell, "draft", k)
        columns = row.iterations
        complete = [index for index, whole in enumerate(columns.complete) if whole]
        rate = tally_of([cell], k).alpha
        if rate is None:
            msg = f"prompt {cell.prompt}, round {cell.round}: no iteration at k = {k} was complete"
            raise EmptySelectionError(msg)

        def per_iteration(*parts: tuple[int, ...]) -> float:
            return sum(part[index] for part in parts for index in complete) / len(complete)

        small = (columns.accept_ns, columns.rollback_ns, columns.other_ns)
        timed = sum(map(sum, (columns.draft_ns, columns.verify_ns, *small)))
        between = max(0, row.decode_ns - timed) / len(columns)
        step = plain_ns(cell) / len(arm_of(cell, "plain", 0).ids)
        return math.log(
            cost.predicted_speedup(
                rate,
                k,
                cost_ratio=per_iteration(columns.draft_ns) / k / step,
                verify_ratio=per_iteration(columns.verify_ns) / step,
                overhead=(per_iteration(*small) + between) / step,
            )
        )

    return formula


def _predicted(run: Run, k: int) -> Callable[[SpeedCell], float]:
    every = blocks(run)
    step_ratio = cost_ratio(run).number()
    check_ratio = verify_ratio(run, n=k + 1).number()

    def formula(cell: SpeedCell) -> float:
        others = [each for each in every if each.prompt != cell.prompt]
        same_kind = [each for each in others if each.kind == cell.kind]
        rate = tally_of(same_kind or others, reference_k(run)).alpha
        if rate is None:
            msg = f"run {run.record.id} has no prompt but {cell.prompt} from which alpha could be predicted"
            raise EmptySelectionError(msg)
        return math.log(cost.predicted_speedup(rate, k, cost_ratio=step_ratio, verify_ratio=check_ratio))

    return formula
