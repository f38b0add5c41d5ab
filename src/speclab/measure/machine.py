"""The record of the machine, and of its state at either end of a run."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import psutil

from speclab.measure.card import Card, nvidia_smi
from speclab.measure.faults import major_faults
from speclab.measure.memory import free_memory_bytes
from speclab.measure.others import other_processes
from speclab.measure.processor import processor
from speclab.measure.steal import steal_seconds
from speclab.records.base import Reading
from speclab.records.machine import Machine, Moment

if TYPE_CHECKING:
    from speclab.backends.device import DeviceState
    from speclab.measure.card import Tool

NO_CARD = "the run used no graphics card"


def machine(state: DeviceState, tool: Tool = nvidia_smi) -> Machine:
    """Describe the machine as it is now, before a run.

    Args:
        state: What the backend says of its device; taken after both models were loaded and every weight touched.
        tool: Runs the driver's tool; another one stands in for a card in tests.
    """
    return Machine(
        system=platform.platform(),
        python=platform.python_version(),
        processor=processor(state.threads),
        gpu=Card(state.card, tool).describe() if state.card else None,
        before=moment(state, tool),
    )


def moment(state: DeviceState, tool: Tool = nvidia_smi) -> Moment:
    """The state of the machine now. Takes half a second, to see what else is running."""
    card = Card(state.card, tool) if state.card else None
    return Moment(
        load=Reading[float](value=psutil.getloadavg()[0]),
        steal_seconds=steal_seconds(),
        major_faults=major_faults(),
        free_memory_bytes=free_memory_bytes(),
        others=other_processes(),
        gpu_free_bytes=Reading[int](value=state.card.free_bytes) if state.card else Reading[int](reason=NO_CARD),
        gpu_temperature=card.temperature() if card else Reading[float](reason=NO_CARD),
        gpu_clock_mhz=card.clock_mhz() if card else Reading[float](reason=NO_CARD),
        gpu_throttle=card.throttle() if card else Reading[str](reason=NO_CARD),
        gpu_others=card.others() if card else Reading[int](reason=NO_CARD),
    )
