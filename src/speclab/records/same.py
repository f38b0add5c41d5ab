"""Whether two moments are on the same machine: what a time depends on, and nothing that a reboot changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclab.records.machine import Machine
    from speclab.records.run import RunRecord

NEARLY = 0.02
"""Share by which the memory of one machine may differ: a new kernel keeps a little more or less for itself."""


def same_machine(one: Machine, other: Machine) -> bool:
    """Whether the processor, its cores and threads, the memory and the card are the same."""
    memory = one.processor.memory_bytes, other.processor.memory_bytes
    return _parts(one) == _parts(other) and abs(memory[0] - memory[1]) <= NEARLY * max(memory)


def describe(machine: Machine) -> str:
    """A machine in a few words."""
    model, cores, threads, card = _parts(machine)
    memory = f"{machine.processor.memory_bytes / 1e9:.0f} GB"
    return f"{model or 'unknown processor'}, {cores} cores, {threads} threads, {memory}, {card or 'no card'}"


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """The first entry by name that two lists do not share, and how many more; none where they are the same."""
    names = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    if not names:
        return None
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def require_same_machine(record: RunRecord, here: Machine) -> None:
    """Refuse to go on with a run of another machine.

    Raises:
        InputError: Names both.
    """
    if not same_machine(record.machine, here):
        msg = (
            f"run {record.id} was begun on another machine ({describe(record.machine)}; this is "
            f"{describe(here)}), and one run holds the times of one: start anew without --resume"
        )
        raise InputError(msg)


def _parts(machine: Machine) -> tuple[str | None, int, int, str | None]:
    processor, gpu = machine.processor, machine.gpu
    return processor.model.value, processor.cores, processor.threads, gpu.model if gpu else None
