"""Whether both models lay in memory while they were timed. If not, a time says where memory is, and no more.

Both models can be "on the device" by every check while part of one comes over a bus, or from disk, at every step.
So five things are looked at that cannot all look right then, and a run that fails one is discarded by the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from speclab.measure.memory import free_memory_bytes, memory_bytes, resident_bytes
from speclab.measure.peak import largest_resident_bytes
from speclab.measure.steps import draft_step_ns, target_step_ns
from speclab.records.base import Reading
from speclab.records.rows import SpeedCell, TimingCell
from speclab.records.run import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.backends.device import DeviceState
    from speclab.records.rows import Cell
    from speclab.records.run import ModelRecord

READ_AGAIN = 0.01
"""Share of the weights that a timed cell may read from disk, on average."""
FAULT_BYTES = 128 * 1024
"""What one fault brings in at most: the system reads ahead by this much."""
FEW_FAULTS = 100
"""Faults of a cell that say nothing: any program has some."""
NEARLY_FULL = 0.95


@dataclass(frozen=True, slots=True)
class Holdings:
    """Memory of the device that computes, at one moment, in bytes.

    Attributes:
        total: All there is for this process.
        free: What nobody holds.
        held: What this process holds; on a card in tensors, else what of it lies in memory.
        peak: The most that it held so far.
    """

    total: int
    free: int
    held: int
    peak: Reading[int]


def holdings(state: DeviceState) -> Holdings:
    """Look at the memory now: the card's where there is one, else the machine's."""
    if state.card:
        card = state.card
        return Holdings(
            card.total_bytes, card.free_bytes, card.allocated_bytes, Reading[int](value=card.peak_bytes)
        )
    return Holdings(memory_bytes(), free_memory_bytes(), resident_bytes(), largest_resident_bytes())


def judge(
    target: ModelRecord, draft: ModelRecord, cells: Sequence[Cell], *, loaded: Holdings, ended: Holdings
) -> Memory:
    """Judge a finished run.

    Args:
        target: As it was loaded.
        draft: As it was loaded.
        cells: All rows of the run.
        loaded: Memory after both models were loaded and every weight was touched once.
        ended: Memory at the end.

    Returns:
        The record; `weights_resident` is false, with the reasons, where the times cannot be trusted.
    """
    weights = target.weight_bytes + draft.weight_bytes
    caches = _cache_bytes(target, draft, cells)
    reasons = (
        *_lack_of_room(weights, caches, loaded),
        *_signs_of_reading(weights, cells),
        *_slow(target, draft, cells),
    )
    return Memory(
        peak_bytes=ended.peak,
        weights_resident=Reading[bool](value=not reasons),
        reason="; ".join(reasons) or None,
        warnings=tuple(_warnings(weights + caches, ended)),
    )


def _lack_of_room(weights: int, caches: int, loaded: Holdings) -> Iterator[str]:
    if weights + caches > loaded.total:
        yield f"weights and caches take {_gb(weights + caches)} and the device has {_gb(loaded.total)}"
    if loaded.held < weights:
        yield f"only {_gb(loaded.held)} of {_gb(weights)} of weights were in the device's memory once loaded"
    if loaded.free < caches:
        yield f"{_gb(loaded.free)} were free once both models were loaded and the caches take {_gb(caches)}"


def _signs_of_reading(weights: int, cells: Sequence[Cell]) -> Iterator[str]:
    timed = [cell.major_faults.value for cell in cells if isinstance(cell, TimingCell | SpeedCell)]
    counted = [faults for faults in timed if faults is not None]
    faults = fmean(counted) if counted else 0.0
    if faults > max(FEW_FAULTS, READ_AGAIN * weights / FAULT_BYTES):
        yield (
            f"a timed cell read {faults:.0f} pages from disk on average; "
            f"with {_gb(weights)} of weights in memory it reads hardly any"
        )


def _slow(target: ModelRecord, draft: ModelRecord, cells: Sequence[Cell]) -> Iterator[str]:
    # A draft that is larger or deeper than its target may well be slower, wherever it lies.
    if draft.weight_bytes >= target.weight_bytes or draft.layers > target.layers:
        return
    slow, fast = draft_step_ns(cells), target_step_ns(cells)
    if slow is not None and fast is not None and slow > fast:
        yield (
            f"a step of the draft took {slow / 1e6:.1f} ms and one of the larger target {fast / 1e6:.1f} ms: "
            "the draft cannot have been in fast memory"
        )


def _cache_bytes(target: ModelRecord, draft: ModelRecord, cells: Sequence[Cell]) -> int:
    """Caches of the largest block: every arm has its own, and the prompt's is kept beside them."""
    largest = 0
    for cell in cells:
        if isinstance(cell, SpeedCell):
            positions = cell.prompt_tokens + max(len(arm.ids) for arm in cell.arms)
            drafting = sum(arm.k > 0 for arm in cell.arms)
            a_position = (len(cell.arms) + 1) * target.cache_bytes_per_token
            a_position += (drafting + 1) * draft.cache_bytes_per_token
            largest = max(largest, positions * a_position)
    return largest


def _warnings(needed: int, ended: Holdings) -> Iterator[str]:
    most = max(needed, ended.peak.value or 0)
    if most > ended.total:
        yield (
            f"{_gb(most)} were allocated on a device of {_gb(ended.total)}: part of it lay in other, slower memory"
        )
    elif most > NEARLY_FULL * ended.total:
        yield f"{_gb(most)} of the device's {_gb(ended.total)} were taken, more than {NEARLY_FULL:.0%}"


def _gb(count: int) -> str:
    return f"{count / 1e9:.2f} GB"
