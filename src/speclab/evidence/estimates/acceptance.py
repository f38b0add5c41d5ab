"""How often guesses are right: from complete iterations alone, those that proposed all k and that nothing cut."""

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from speclab.evidence.estimates.blocks import arm_of, blocks, by_prompt
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate, Unit
from speclab.evidence.estimates.pooling import ratio_of_sums
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell
from speclab.theory.acceptance import Tally, tally
from speclab.theory.cost import expected_tokens_per_iteration

Count: TypeAlias = Callable[[Tally], tuple[int, int]]
"""From the iterations of a prompt to a numerator and a denominator."""


def tally_of(cells: Iterable[SpeedCell], k: int) -> Tally:
    """The complete iterations at one k of some blocks, a generation a block."""
    rows = [arm_of(cell, "draft", k).iterations for cell in cells]
    return tally(k, [(row.accepted, row.complete) for row in rows])


@named(sampled=True)
def alpha(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Acceptance rate alpha: accepted / (accepted + rejections), pooled over iterations."""

    def decided(each: Tally) -> tuple[int, int]:
        stood = sum(each.accepted)
        return stood, stood + each.iterations - each.histogram[k]

    return _pooled(run, k, kind, prompt, decided)


@named(sampled=True)
def tokens_per_iteration(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Tokens committed per iteration, counted; the target's own token is among them."""

    def committed(each: Tally) -> tuple[int, int]:
        return sum(each.accepted) + each.iterations, each.iterations

    return _pooled(run, k, kind, prompt, committed, unit="tokens", highest=k + 1.0)


@named("computed", sampled=True)
def tokens_by_formula(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Tokens per iteration that independent acceptance at the measured alpha would give."""
    rate = alpha(run, k=k, kind=kind, prompt=prompt)
    ends = {
        name: None if end is None else expected_tokens_per_iteration(end, k)
        for name, end in (("value", rate.value), ("low", rate.low), ("high", rate.high))
    }
    return Estimate.model_validate({**dict(rate), **ends, "unit": "tokens"})


@named("computed", sampled=True)
def tokens_by_own_alpha(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """The same with each prompt's own alpha, weighted by its complete iterations: what differing texts explain."""
    kinds = by_prompt(blocks(run, kind=kind)).values()
    prompts = [tally_of(rounds, k) for each in kinds for rounds in each.values()]
    whole = [(each.iterations, each.alpha) for each in prompts if each.alpha is not None]
    if not whole:
        msg = f"no iteration at k = {k} was complete"
        raise EmptySelectionError(msg)
    promised = sum(count * expected_tokens_per_iteration(rate, k) for count, rate in whole)
    return Estimate(
        value=promised / sum(count for count, _ in whole),
        n=len(whole),
        unit="tokens",
        reason="a formula at many rates; its spread over prompts is not estimated",
    )


@named(sampled=True)
def position_rate(
    run: Run, *, k: int, position: int, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """How often the proposal at a position (from 1) stands, where the check reached that position."""

    def reached(each: Tally) -> tuple[int, int]:
        return sum(each.histogram[position:]), sum(each.histogram[position - 1 :])

    _require_within(position, 1, k)
    return _pooled(run, k, kind, prompt, reached)


@named(sampled=True)
def histogram_share(
    run: Run, *, k: int, accepted: int, kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """Share of iterations in which exactly so many proposals stood: one bar of the histogram."""

    def bar(each: Tally) -> tuple[int, int]:
        return each.histogram[accepted], each.iterations

    _require_within(accepted, 0, k)
    return _pooled(run, k, kind, prompt, bar)


@named(sampled=True)
def accepted_share(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Accepted / proposed. Falls with k although the draft is the same, so it is no acceptance rate."""

    def kept(each: Tally) -> tuple[int, int]:
        return sum(each.accepted), k * each.iterations

    return _pooled(run, k, kind, prompt, kept)


@named(sampled=True)
def iterations(run: Run, *, k: int, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Complete iterations that the rates at this k rest on."""
    chosen = blocks(run, kind=kind, prompt=prompt)
    total = tally_of(chosen, k).iterations
    return Estimate(value=total, n=len(chosen), of="blocks", unit="count", reason="counted, not sampled")


@named(sampled=True)
def autocorrelation(
    run: Run, *, k: int, centre: Literal["all", "each"] = "all", kind: str | None = None
) -> Estimate:
    """Correlation of the accepted counts of one iteration and the next.

    With centre `each` a text's own mean is taken out first, so that only dependence within a text remains.
    """
    chosen = blocks(run, kind=kind)
    found = tally_of(chosen, k).autocorrelation(centre=centre)
    n = len({cell.prompt for cell in chosen})
    if found is None:
        reason = "no two iterations follow each other, or all accepted the same number"
        return Estimate(value=None, n=n, reason=reason)
    return Estimate(
        value=found, n=n, reason="pooled over all iterations; its spread over prompts is not estimated"
    )


def _require_within(number: int, lowest: int, k: int) -> None:
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
        name: [count(tally_of(rounds, k)) for rounds in prompts.values()]
        for name, prompts in by_prompt(chosen).items()
    }
    return ratio_of_sums(pairs, unit=unit, highest=highest)
