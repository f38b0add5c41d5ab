"""How often guesses are right: from complete iterations alone, those that proposed all k and that nothing cut."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from speclab.evidence.estimates.blocks import arm_of, blocks, by_prompt
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate, Unit
from speclab.evidence.estimates.pooling import ratio_of_sums
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import ArmRow, SpeedCell
from speclab.theory.cost import expected_tokens_per_iteration

Count: TypeAlias = Callable[[ArmRow], tuple[int, int]]
"""From an arm to a numerator and a denominator."""


def complete_accepted(row: ArmRow) -> tuple[int, ...]:
    """Accepted counts of an arm's complete iterations, in order."""
    columns = zip(row.iterations.accepted, row.iterations.complete, strict=True)
    return tuple(accepted for accepted, complete in columns if complete)


def decided(row: ArmRow) -> tuple[int, int]:
    """Accepted proposals, and proposals that were decided: the accepted ones and each iteration's rejection."""
    accepted = complete_accepted(row)
    return sum(accepted), sum(accepted) + sum(each < row.k for each in accepted)


def pooled_alpha(cells: Iterable[SpeedCell], k: int) -> float | None:
    """Accepted / decided proposals over the arms at one k of some blocks; None where nothing was decided."""
    counts = [decided(arm_of(cell, "draft", k)) for cell in cells]
    of = sum(total for _, total in counts)
    return sum(accepted for accepted, _ in counts) / of if of else None


@named()
def alpha(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Acceptance rate alpha: accepted / (accepted + rejections), pooled over iterations."""
    return _pooled(run, k, kind, prompt, decided)


@named()
def tokens_per_iteration(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Tokens committed per iteration, counted; the target's own token is among them."""

    def counts(row: ArmRow) -> tuple[int, int]:
        accepted = complete_accepted(row)
        return sum(accepted) + len(accepted), len(accepted)

    return _pooled(run, k, kind, prompt, counts, unit="tokens", highest=k + 1.0)


@named("computed")
def tokens_by_formula(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Tokens per iteration that independent acceptance at the measured alpha would give."""
    rate = alpha(run, k=k, kind=kind, prompt=prompt)
    ends = {
        name: None if end is None else expected_tokens_per_iteration(end, k)
        for name, end in (("value", rate.value), ("low", rate.low), ("high", rate.high))
    }
    return Estimate.model_validate({**dict(rate), **ends, "unit": "tokens"})


@named()
def position_rate(
    run: Run, *, k: int, position: int, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """How often the proposal at a position (from 1) stands, where the check reached that position."""

    def counts(row: ArmRow) -> tuple[int, int]:
        accepted = complete_accepted(row)
        return sum(each >= position for each in accepted), sum(each >= position - 1 for each in accepted)

    _require_position(position, 1, k)
    return _pooled(run, k, kind, prompt, counts)


@named()
def accepted_share(
    run: Run, *, k: int, accepted: int, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """Share of iterations in which exactly so many proposals stood: one bar of the histogram."""

    def counts(row: ArmRow) -> tuple[int, int]:
        each = complete_accepted(row)
        return each.count(accepted), len(each)

    _require_position(accepted, 0, k)
    return _pooled(run, k, kind, prompt, counts)


@named()
def iterations(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Complete iterations that the rates at this k rest on."""
    chosen = blocks(run, kind=kind, prompt=prompt)
    total = sum(len(complete_accepted(arm_of(cell, "draft", k))) for cell in chosen)
    return Estimate(value=total, n=len(chosen), of="blocks", unit="count", reason="counted, not sampled")


def _require_position(number: int, lowest: int, k: int) -> None:
    if not lowest <= number <= k:
        msg = f"k = {k} proposals have no {number}; it goes from {lowest} to {k}"
        raise EmptySelectionError(msg)


def _pooled(
    run: Run,
    k: int,
    kind: str | None,
    prompt: str | None,
    count: Count,
    *,
    unit: Unit = "share",
    highest: float = 1.0,
) -> Estimate:
    chosen = blocks(run, kind=kind, prompt=prompt)
    pairs = {
        name: [
            tuple(map(float, map(sum, zip(*(count(arm_of(cell, "draft", k)) for cell in rounds), strict=True))))
            for rounds in prompts.values()
        ]
        for name, prompts in by_prompt(chosen).items()
    }
    return ratio_of_sums(pairs, unit=unit, highest=highest)
