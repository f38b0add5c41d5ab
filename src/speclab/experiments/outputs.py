"""The outputs of one prompt's blocks, arm by arm against plain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.errors import CheckError
from speclab.experiments.replay import passes
from speclab.records.rows import Changed, Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclab.records.rows import ArmRow, SpeedCell


@dataclass(frozen=True, slots=True)
class First:
    """A first difference: the arm's output leaves plain's at new token `index`."""

    plain: ArmRow
    arm: ArmRow
    index: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What the outputs of one prompt show.

    Attributes:
        comparisons: Every arm of every block against the plain arm of that block.
        changed: Configurations whose output was not the same in every block.
        firsts: The first differences, each once: the same passes to the same tokens are one difference.
    """

    comparisons: tuple[Comparison, ...]
    changed: tuple[Changed, ...]
    firsts: tuple[First, ...]


def first_difference(plain: Sequence[int], arm: Sequence[int]) -> int | None:
    """Index of the first token that differs, or None."""
    return next((index for index, pair in enumerate(zip(plain, arm, strict=True)) if pair[0] != pair[1]), None)


def compare(blocks: Sequence[SpeedCell]) -> Compared:
    """Compare all outputs of one prompt.

    Raises:
        CheckError: When two arms of a block have outputs of different length, which nothing can be read from.
    """
    comparisons: list[Comparison] = []
    firsts: list[First] = []
    identities: list[object] = []
    for block in blocks:
        plain = next(arm for arm in block.arms if arm.arm == "plain")
        for arm in (each for each in block.arms if each is not plain):
            _require_same_length(block, plain, arm)
            index = first_difference(plain.ids, arm.ids)
            place = None
            if index is not None:
                identity = (arm.arm, arm.k, plain.ids[: index + 1], arm.ids[: index + 1], _fed(arm, index))
                if identity not in identities:
                    identities.append(identity)
                    firsts.append(First(plain, arm, index))
                place = identities.index(identity)
            comparisons.append(
                Comparison(
                    arm=arm.arm,
                    k=arm.k,
                    round=block.round,
                    attempt=block.attempt,
                    identical=index is None,
                    index=index,
                    difference=place,
                )
            )
    return Compared(tuple(comparisons), tuple(_changed(blocks)), tuple(firsts))


def _require_same_length(block: SpeedCell, plain: ArmRow, arm: ArmRow) -> None:
    if len(arm.ids) != len(plain.ids):
        msg = (
            f"{block.key}: arm {arm.arm} k={arm.k} holds {len(arm.ids)} new tokens and plain "
            f"{len(plain.ids)}: outputs are compared over the same number of tokens"
        )
        raise CheckError(msg)


def _fed(arm: ArmRow, index: int) -> tuple[tuple[int, ...], ...]:
    """What the arm fed up to the pass that decided a token (the prompt's last token set aside)."""
    return tuple(each.fed for each in passes((-1,), arm) if each.start <= index)


def _changed(blocks: Sequence[SpeedCell]) -> Iterable[Changed]:
    outputs: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
    for block in blocks:
        for arm in block.arms:
            outputs.setdefault((arm.arm, arm.k), {})[block.key] = arm.ids
    for (name, k), by_block in outputs.items():
        first = next(iter(by_block.values()))
        others = tuple(key for key, ids in by_block.items() if ids != first)
        if others:
            yield Changed.model_validate({"arm": name, "k": k, "blocks": others})
