"""Which blocks count, and the arms within one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from speclab.errors import CheckError
from speclab.evidence.estimates.estimate import EmptySelectionError
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from speclab.records.rows import ArmName, ArmRow


def every_block(run: Run, *, kind: str | None = None, prompt: str | None = None) -> tuple[SpeedCell, ...]:
    """All blocks of a kind or prompt, disturbed ones and repeats alike; of one sampling, the plan's first.

    `under` gives a view of a run in which another sampling is the only one.

    Raises:
        EmptySelectionError: When there is none.
    """
    measured = [cell for cell in run.results.cells if isinstance(cell, SpeedCell)]
    own = next((name for name in samplings_of(run) if any(cell.sampling.name == name for cell in measured)), None)
    there = [cell for cell in measured if cell.sampling.name == own]
    chosen = tuple(cell for cell in there if kind in (None, cell.kind) and prompt in (None, cell.prompt))
    if not chosen:
        raise EmptySelectionError(_nothing(run, there, kind, prompt))
    return chosen


def samplings_of(run: Run) -> tuple[str, ...]:
    """Names of the samplings that the plan of a run has, in its order."""
    return tuple(each.name for each in run.record.plan.speed.samplings)


def under(run: Run, sampling: str) -> Run:
    """The run with the blocks of one sampling alone, everything else as it is.

    Raises:
        EmptySelectionError: When it has none; names those there are.
    """
    cells = tuple(
        cell for cell in run.results.cells if not isinstance(cell, SpeedCell) or cell.sampling.name == sampling
    )
    if not any(isinstance(cell, SpeedCell) for cell in cells):
        has = ", ".join(samplings_of(run))
        msg = f"run {run.record.id} holds no block under {sampling!r}; its plan has: {has}"
        raise EmptySelectionError(msg)
    return Run(run.record, run.results.model_copy(update={"cells": cells}))


def blocks(run: Run, *, kind: str | None = None, prompt: str | None = None) -> tuple[SpeedCell, ...]:
    """The blocks that count: of each prompt and round the last attempt, whatever it shows."""
    last: dict[tuple[str, int], SpeedCell] = {}
    for cell in every_block(run, kind=kind, prompt=prompt):
        key = (cell.prompt, cell.round)
        if key not in last or cell.attempt > last[key].attempt:
            last[key] = cell
    return tuple(last.values())


def arm_of(cell: SpeedCell, arm: ArmName, k: int) -> ArmRow:
    """One arm of a block.

    Raises:
        EmptySelectionError: When the block has no such arm; names the ks there are.
    """
    for row in cell.arms:
        if row.arm == arm and row.k == k:
            return row
    ks = ", ".join(str(row.k) for row in cell.arms if row.arm == arm)
    what = f"k = {k} (it measured k = {ks})" if ks else f"an arm {arm}"
    msg = f"the block of prompt {cell.prompt}, round {cell.round}, has no {what}"
    raise EmptySelectionError(msg)


def plain_ns(cell: SpeedCell) -> float:
    """Decode time of plain, in nanoseconds: the geometric mean of the block's two plain arms."""
    return math.sqrt(arm_of(cell, "plain", 0).decode_ns * arm_of(cell, "plain_again", 0).decode_ns)


def require_same_length(cell: SpeedCell, row: ArmRow) -> None:
    """Refuse to compare the times of outputs of different lengths.

    Raises:
        CheckError: Naming block, arm and both lengths.
    """
    plain = len(arm_of(cell, "plain", 0).ids)
    if len(row.ids) != plain:
        msg = (
            f"block of prompt {cell.prompt}, round {cell.round}: plain made {plain} tokens and the arm {row.arm} "
            f"at k = {row.k} made {len(row.ids)}; their times cannot be compared"
        )
        raise CheckError(msg)


def ks_of(run: Run) -> tuple[int, ...]:
    """Every k that the run's blocks hold, ascending."""
    return tuple(sorted({row.k for cell in every_block(run) for row in cell.arms if row.arm == "draft"}))


def kinds_of(run: Run) -> tuple[str, ...]:
    """The kinds of the run's blocks, in the order they were first measured."""
    return tuple(dict.fromkeys(cell.kind for cell in every_block(run)))


def by_prompt(cells: Iterable[SpeedCell]) -> dict[str, dict[str, list[SpeedCell]]]:
    """Blocks by kind, then by prompt, in the order they were first measured."""
    sorted_: dict[str, dict[str, list[SpeedCell]]] = {}
    for cell in cells:
        sorted_.setdefault(cell.kind, {}).setdefault(cell.prompt, []).append(cell)
    return sorted_


def means_by_kind(cells: Iterable[SpeedCell], value: Callable[[SpeedCell], float]) -> dict[str, tuple[float, ...]]:
    """For each kind, each prompt's mean of a value over its blocks."""
    return {
        kind: tuple(math.fsum(value(cell) for cell in rounds) / len(rounds) for rounds in prompts.values())
        for kind, prompts in by_prompt(cells).items()
    }


def _nothing(run: Run, there: list[SpeedCell], kind: str | None, prompt: str | None) -> str:
    if not there:
        return f"run {run.record.id} holds no speed blocks: it did not measure speed"
    asked = " and ".join(
        f"{name} {value!r}" for name, value in (("kind", kind), ("prompt", prompt)) if value is not None
    )
    names = dict.fromkeys(cell.kind if prompt is None else cell.prompt for cell in there)
    return f"run {run.record.id} holds no block of {asked}; it has: {', '.join(names)}"
