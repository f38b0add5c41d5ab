"""How much faster, and where the time goes. Every ratio is taken within a block: one prompt, arms in turns."""

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

from speclab.evidence.estimates.blocks import (
    arm_of,
    blocks,
    by_prompt,
    every_block,
    kinds_of,
    ks_of,
    means_by_kind,
    plain_ns,
    require_same_length,
)
from speclab.evidence.estimates.estimate import Estimate, Unit
from speclab.evidence.estimates.pooling import geometric, ratio_of_sums
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import ArmRow, SpeedCell

Proposing: TypeAlias = Literal["draft"]
"""The arms that propose."""


def log_speedup(cell: SpeedCell, arm: Proposing, k: int) -> float:
    """Logarithm of decode time of plain / decode time of the arm, in one block."""
    row = arm_of(cell, arm, k)
    require_same_length(cell, row)
    return math.log(plain_ns(cell) / row.decode_ns)


@named(sampled=True)
def speedup(
    run: Run, *, k: int, arm: Proposing = "draft", kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """Decode time of plain / decode time of the arm: same prompt, same block, same number of tokens."""
    chosen = blocks(run, kind=kind, prompt=prompt)
    return geometric(means_by_kind(chosen, lambda cell: log_speedup(cell, arm, k)))


@named(sampled=True)
def end_to_end_speedup(
    run: Run, *, k: int, arm: Proposing = "draft", kind: str | None = None, prompt: str | None = None
) -> Estimate:
    """The same with prefill: plain takes in the prompt once, the arm once for each of its two models."""

    def gain(cell: SpeedCell) -> float:
        row = arm_of(cell, arm, k)
        require_same_length(cell, row)
        plain = cell.prefill_target_ns + plain_ns(cell)
        return math.log(plain / (cell.prefill_target_ns + cell.prefill_draft_ns + row.decode_ns))

    return geometric(means_by_kind(blocks(run, kind=kind, prompt=prompt), gain))


@named(sampled=True)
def noise_floor(run: Run, *, kind: str | None = None) -> Estimate:
    """Plain / plain, two identical arms: what this way of measuring calls a difference where there is none.

    Over all blocks, disturbed ones and their repeats too.
    """

    def ratio(cell: SpeedCell) -> float:
        return math.log(arm_of(cell, "plain", 0).decode_ns / arm_of(cell, "plain_again", 0).decode_ns)

    return geometric(means_by_kind(every_block(run, kind=kind), ratio))


@named(sampled=True)
def plain_tokens_per_second(run: Run, *, kind: str | None = None, prompt: str | None = None) -> Estimate:
    """Tokens a second of plain decoding, prefill apart: the absolute baseline."""

    def rate(cell: SpeedCell) -> float:
        return math.log(len(arm_of(cell, "plain", 0).ids) / (plain_ns(cell) / 1e9))

    return geometric(means_by_kind(blocks(run, kind=kind, prompt=prompt), rate), unit="tokens/s")


@named(sampled=True)
def best_k(run: Run, *, kind: str | None = None) -> Estimate:
    """The k with the largest measured speed-up, among those that were measured."""
    best = max(ks_of(run), key=lambda k: speedup(run, k=k, kind=kind).number())
    n = speedup(run, k=best, kind=kind).n
    return Estimate(value=best, n=n, unit="count", reason="a choice among the measured k, not a mean")


@named(sampled=True)
def best_speedup(run: Run, *, kind: str | None = None) -> Estimate:
    """The speed-up at the best k. Chosen as the largest of several, it leans high."""
    return speedup(run, k=int(best_k(run, kind=kind).number()), kind=kind)


@named(sampled=True)
def largest_speedup(run: Run) -> Estimate:
    """The largest speed-up of any kind of text at any k. Chosen as the largest of many, it leans high."""
    found = [speedup(run, k=k, kind=kind).number() for kind in kinds_of(run) for k in ks_of(run)]
    return Estimate(value=max(found), n=len(found), of="kinds and k", reason="the largest of several, not a mean")


@named(sampled=True)
def draft_share(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Share of decode time that goes into drafting."""
    return _share(run, k, kind, lambda row: sum(row.iterations.draft_ns))


@named(sampled=True)
def verify_share(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Share of decode time that goes into the target's passes."""
    return _share(run, k, kind, lambda row: sum(row.iterations.verify_ns))


@named(sampled=True)
def overhead_share(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Share of decode time that goes into neither model: the rule, the rollback, and all else."""
    return _share(run, k, kind, overhead_ns)


@named(sampled=True)
def iteration_steps(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Decode time of an iteration in steps of plain decoding; those that the end of the output cut count too."""

    def both(cell: SpeedCell) -> tuple[float, float]:
        row = arm_of(cell, "draft", k)
        step = plain_ns(cell) / len(arm_of(cell, "plain", 0).ids)
        return row.decode_ns, len(row.iterations) * step

    return _sums(blocks(run, kind=kind), both, unit="ratio", highest=math.inf)


@named(sampled=True)
def iteration_tokens(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Tokens of an iteration, of the same ones as `iteration_steps`: cut ones too."""

    def both(cell: SpeedCell) -> tuple[float, float]:
        row = arm_of(cell, "draft", k)
        return len(row.ids), len(row.iterations)

    return _sums(blocks(run, kind=kind), both, unit="tokens", highest=math.inf)


@named(sampled=True)
def overhead_steps(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """The overhead of an iteration in steps of plain decoding: the third term of an iteration's cost."""

    def both(cell: SpeedCell) -> tuple[float, float]:
        row = arm_of(cell, "draft", k)
        step = plain_ns(cell) / len(arm_of(cell, "plain", 0).ids)
        return overhead_ns(row), len(row.iterations) * step

    return _sums(blocks(run, kind=kind), both, unit="ratio", highest=math.inf)


@named(sampled=True)
def rollback_share(run: Run, *, k: int, kind: str | None = None) -> Estimate:
    """Share of decode time that goes into cutting both caches back."""
    return _share(run, k, kind, lambda row: sum(row.iterations.rollback_ns))


def overhead_ns(row: ArmRow) -> int:
    """What an arm's decode time holds beyond drafting and the target's passes."""
    return row.decode_ns - sum(row.iterations.draft_ns) - sum(row.iterations.verify_ns)


def _share(run: Run, k: int, kind: str | None, part: Callable[[ArmRow], int]) -> Estimate:
    def both(cell: SpeedCell) -> tuple[float, float]:
        row = arm_of(cell, "draft", k)
        return part(row), row.decode_ns

    return _sums(blocks(run, kind=kind), both, unit="share", highest=1.0)


def _sums(
    cells: tuple[SpeedCell, ...], both: Callable[[SpeedCell], tuple[float, float]], *, unit: Unit, highest: float
) -> Estimate:
    """Ratio of two sums over blocks, a prompt at a time."""

    def of_prompt(rounds: list[SpeedCell]) -> tuple[float, float]:
        parts = [both(cell) for cell in rounds]
        return math.fsum(top for top, _ in parts), math.fsum(below for _, below in parts)

    pairs = {
        name: [of_prompt(rounds) for rounds in prompts.values()] for name, prompts in by_prompt(cells).items()
    }
    return ratio_of_sums(pairs, unit=unit, highest=highest)
