"""The clock of the device that computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

from speclab.decoding.clock import WALL_CLOCK

if TYPE_CHECKING:
    from speclab.decoding.protocols import Clock

NANOSECONDS = 1_000_000
"""In a millisecond, which is what CUDA's events count in."""


class CudaClock:
    """Events on the device's stream: recorded in passing, read later, so that timing makes nothing wait."""

    def __init__(self, device: torch.device | str) -> None:
        self._device = torch.device(device)

    def mark(self) -> Any:
        """Put an event behind the work that was given to the device so far."""
        event = cast("Any", torch.cuda.Event)(enable_timing=True)  # untyped
        event.record(torch.cuda.current_stream(self._device))
        return event

    def between(self, start: Any, end: Any) -> int:
        """Nanoseconds on the device from one event to another; waits for the later one."""
        end.synchronize()
        milliseconds: float = start.elapsed_time(end)
        return round(milliseconds * NANOSECONDS)

    def synchronize(self) -> None:
        """Wait until the device has done everything it was given."""
        torch.cuda.synchronize(self._device)


def clock_for(device: torch.device | str) -> Clock:
    """CUDA's events on a card; host time elsewhere, where reading a token has waited for the device anyway."""
    return CudaClock(device) if torch.device(device).type == "cuda" else WALL_CLOCK
