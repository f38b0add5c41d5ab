"""Which clock a device has, and how CUDA's events are used. No card is needed: the events are stood in for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from speclab.backends.hf.clock import CudaClock, clock_for
from speclab.decoding.clock import WALL_CLOCK

if TYPE_CHECKING:
    import pytest


def test_clock_of_a_device() -> None:
    """Host time on a processor, events on a card."""
    assert clock_for("cpu") is WALL_CLOCK
    assert clock_for(torch.device("cpu")) is WALL_CLOCK
    assert isinstance(clock_for("cuda:1"), CudaClock)


class _Card:
    """Stands in for `torch.cuda`: a queue of work, and events that know when they were reached."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[str] = []

    def event(self, *, enable_timing: bool) -> _Event:
        assert enable_timing
        return _Event(self)


class _Event:
    def __init__(self, card: _Card) -> None:
        self._card = card
        self.at = -1.0

    def record(self, stream: str) -> None:
        assert stream == "stream of cuda:1"
        self.at = self._card.now

    def synchronize(self) -> None:
        self._card.waits.append("event")

    def elapsed_time(self, end: _Event) -> float:
        return end.at - self.at


def test_events_are_recorded_in_passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks wait for nothing; reading waits for the later event alone, and gives nanoseconds of the device."""
    card = _Card()
    cuda: Any = torch.cuda
    monkeypatch.setattr(cuda, "Event", card.event)
    monkeypatch.setattr(cuda, "current_stream", lambda device: f"stream of {device}")
    monkeypatch.setattr(cuda, "synchronize", lambda device: card.waits.append(str(device)))
    clock = CudaClock("cuda:1")
    start = clock.mark()
    card.now += 1.2345678
    end = clock.mark()
    assert card.waits == []
    assert clock.between(start, end) == 1_234_568
    assert card.waits == ["event"]
    clock.synchronize()
    assert card.waits == ["event", "cuda:1"]
