"""What a pass costs, and what the two models weigh. Ratios are taken within a cycle, so that drift cancels."""

import math

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.pooling import geometric
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import ModelRole, TimingCell
from speclab.theory.cost import break_even_alpha, iteration_cost

_CYCLES = "cycles"
_COMPUTED = "computed from mean c and v"
_NEVER = "an iteration costs at least as many steps as it can write tokens: no share of right guesses is enough"


@named()
def cost_ratio(run: Run) -> Estimate:
    """The cost ratio c: one step of the draft / one step of the target, geometric mean over cycles."""
    return _ratio(run, ("draft", 1), ("target", 1))


@named()
def verify_ratio(run: Run, *, n: int, model: ModelRole = "target") -> Estimate:
    """The verify ratio v(n): a pass over n tokens / a pass over one, geometric mean over cycles."""
    return _ratio(run, (model, n), (model, 1))


@named()
def pass_ms(run: Run, *, model: ModelRole, tokens: int) -> Estimate:
    """Time of one pass over so many tokens, geometric mean over cycles."""
    logs = [math.log(cycle / 1e6) for cycle in _samples(run, model, tokens)]
    return geometric({_CYCLES: logs}, unit="ms", of=_CYCLES)


@named("computed")
def steps_by_formula(run: Run, *, k: int) -> Estimate:
    """Cost of an iteration with k guesses, in steps: k c + v(k + 1), everything else left out."""
    steps = iteration_cost(k, **_ratios(run, k))
    return Estimate(value=steps, n=len(_cells(run)), of=_CYCLES, reason=_COMPUTED)


@named("computed")
def break_even_by_formula(run: Run, *, k: int) -> Estimate:
    """Acceptance rate at which k guesses are as fast as plain decoding, by c and v, everything else left out."""
    alpha = break_even_alpha(k, **_ratios(run, k))
    reason = _NEVER if alpha is None else _COMPUTED
    return Estimate(value=alpha, n=len(_cells(run)), of=_CYCLES, unit="share", reason=reason)


def pass_lengths(run: Run, model: ModelRole) -> tuple[int, ...]:
    """Every length that was timed with this model, ascending."""
    return tuple(sorted({each.tokens for cell in _cells(run) for each in cell.passes if each.model == model}))


def check_costs(run: Run, largest_k: int) -> dict[int, float]:
    """v(k + 1) by k, the cost of a check in steps of the target, for each k up to the largest that was timed."""
    lengths = pass_lengths(run, "target")
    return {n - 1: verify_ratio(run, n=n).number() for n in lengths if 1 < n <= largest_k + 1}


def _ratios(run: Run, k: int) -> dict[str, float]:
    return {"cost_ratio": cost_ratio(run).number(), "verify_ratio": verify_ratio(run, n=k + 1).number()}


def _cells(run: Run) -> list[TimingCell]:
    cells = [cell for cell in run.results.cells if isinstance(cell, TimingCell)]
    if not cells:
        msg = f"run {run.record.id} holds no timed passes: it did not measure timing"
        raise EmptySelectionError(msg)
    return cells


def _samples(run: Run, model: ModelRole, tokens: int) -> list[int]:
    """Nanoseconds of one shape, a sample a cycle."""
    cells = _cells(run)
    samples = [
        each.nanoseconds for cell in cells for each in cell.passes if (each.model, each.tokens) == (model, tokens)
    ]
    if len(samples) != len(cells):
        lengths = ", ".join(map(str, pass_lengths(run, model)))
        msg = (
            f"run {run.record.id} timed no passes of the {model} over {tokens} tokens in each of its {len(cells)} "
            f"cycles; it timed: {lengths}"
        )
        raise EmptySelectionError(msg)
    return samples


def _ratio(run: Run, above: tuple[ModelRole, int], below: tuple[ModelRole, int]) -> Estimate:
    pairs = zip(_samples(run, *above), _samples(run, *below), strict=True)
    return geometric({_CYCLES: [math.log(one / other) for one, other in pairs]}, of=_CYCLES)
