"""The clock of the device that a run computes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.decoding.clock import WALL_CLOCK

if TYPE_CHECKING:
    from speclab.decoding.protocols import Clock
    from speclab.records.plan import Device


def clock_for(device: Device) -> Clock:
    """Host time on the processor, the card's own events on a card."""
    if device == "cpu":
        return WALL_CLOCK
    from speclab.backends.hf import clock  # noqa: PLC0415 - needs torch, which a processor's clock does not

    return clock.clock_for(device)
