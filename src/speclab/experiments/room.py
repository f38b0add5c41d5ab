"""Memory and disk, looked at before anything is loaded."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.measure.memory import free_memory_bytes
from speclab.models.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from speclab.backends.device import DeviceState
    from speclab.records.plan import Plan
    from speclab.records.run import ModelRecord

ROWS_BYTES = 100 * 10**6
"""Room for the rows of any run, many times over."""
SPARE_BYTES = 10**9
"""Caches, activations and the interpreter."""


def free_bytes(state: DeviceState) -> int:
    """Free memory of the device: the card's where there is one, else the machine's."""
    return state.card.free_bytes if state.card else free_memory_bytes()


def require_memory(plan: Plan, state: DeviceState, *, earlier: int | None = None) -> str:
    """Refuse a run that the free memory cannot hold.

    Args:
        plan: Says how much it needs.
        state: The device before anything was loaded.
        earlier: The most that the same plan took before on this machine, where that is known.

    Returns:
        The line for the person who waits.

    Raises:
        InputError: With both amounts.
    """
    needed = earlier or round(plan.memory_gb * 1e9)
    basis = "as it took before" if earlier else "as the plan says"
    where = "on the card" if state.card else "here"
    free = free_bytes(state)
    if free < needed:
        msg = (
            f"the plan {plan.name} needs {_gb(needed)} of memory ({basis}) and {_gb(free)} are free {where}: "
            "close what else holds memory, or take a smaller pair"
        )
        raise InputError(msg)
    return f"memory: {_gb(needed)}, {basis}; {_gb(free)} are free {where}"


def require_disk(plan: Plan, runs: Path, missing: Sequence[str]) -> str:
    """Refuse a run that the disk cannot hold: models still to come into the cache, and rows.

    Returns:
        The line for the person who waits.

    Raises:
        InputError: With the folder and both amounts.
    """
    wanted = [(runs, ROWS_BYTES, "the rows")]
    if missing:
        wanted.append((cache_folder(), round(plan.disk_gb * 1e9), f"fetching {' and '.join(missing)}"))
    lines = []
    for folder, needed, purpose in wanted:
        free = shutil.disk_usage(_existing(folder)).free
        if free < needed:
            msg = f"{purpose} needs {_gb(needed)} of disk and {folder} has {_gb(free)}: make room there"
            raise InputError(msg)
        lines.append(f"{_gb(needed)} for {purpose}, {_gb(free)} are free")
    return "disk: " + "; ".join(lines)


def require_float32(target: ModelRecord, draft: ModelRecord, state: DeviceState) -> None:
    """Refuse to reload a pair in float32 where it does not fit.

    Args:
        target: As it was loaded before.
        draft: As it was loaded before.
        state: The device after that pair was freed.

    Raises:
        InputError: With both amounts.
    """
    # While the larger model is converted, it is there in both dtypes.
    needed = (
        4 * (target.parameters + draft.parameters) + max(target.weight_bytes, draft.weight_bytes) + SPARE_BYTES
    )
    free = free_bytes(state)
    if free < needed:
        msg = f"the pair in float32 needs {_gb(needed)} of memory and {_gb(free)} are free"
        raise InputError(msg)


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _gb(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
