"""What torch says of the device: on a processor, and on a card that is simulated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import torch

from speclab.backends.device import CardState, DeviceState
from speclab.backends.hf.clock import CudaClock
from speclab.backends.hf.device import device_state, touch
from speclab.decoding.clock import WALL_CLOCK
from speclab.experiments.clock import clock_for

if TYPE_CHECKING:
    import pytest


def test_a_processor_has_threads_and_no_card() -> None:
    """The threads are those that torch computes with."""
    assert device_state("cpu") == DeviceState(threads=torch.get_num_threads())


def test_a_card_is_described_by_what_torch_sees_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name, memory in all, free, held and held at most; the uuid in the form that the driver's tool takes."""
    facts = SimpleNamespace(name="Simulated 12GB", uuid="0a1b-2c3d", multi_processor_count=132)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: facts)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (3, 12))
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _: 8)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda _: 9)
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    card = device_state("cuda").card
    assert card == CardState("Simulated 12GB", "GPU-0a1b-2c3d", "12.8", 132, 12, 3, 8, 9)


def test_every_weight_is_read_once() -> None:
    """The bytes read are those of all parameters, one that two layers share counted once."""
    module = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Linear(5, 3, bias=False)).to(torch.bfloat16)
    assert touch(module) == 2 * (15 + 5 + 15)
    tied = torch.nn.Sequential(torch.nn.Linear(4, 4, bias=False), torch.nn.Linear(4, 4, bias=False))
    tied[1].weight = tied[0].weight
    assert touch(tied) == 4 * 16


def test_a_run_is_timed_by_the_clock_of_its_device() -> None:
    """Host time on a processor, events on a card: the two are never mixed."""
    assert clock_for("cpu") is WALL_CLOCK
    assert isinstance(clock_for("cuda"), CudaClock)
