"""The device that torch computes on, and the weights that lie on it."""

from __future__ import annotations

import gc

import torch

from speclab.backends.device import CardState, DeviceState


def card_available() -> bool:
    """Whether this build of torch can use a graphics card here."""
    return torch.cuda.is_available()


def device_state(device: str) -> DeviceState:
    """Threads, and on a card its name and memory as torch sees them now."""
    if device == "cpu":
        return DeviceState(threads=torch.get_num_threads())
    card = torch.device(device)
    facts = torch.cuda.get_device_properties(card)
    free, total = torch.cuda.mem_get_info(card)
    state = CardState(
        model=facts.name,
        uuid=f"GPU-{facts.uuid}",
        runtime=str(torch.version.cuda),
        multiprocessors=facts.multi_processor_count,
        total_bytes=total,
        free_bytes=free,
        allocated_bytes=torch.cuda.memory_allocated(card),
        peak_bytes=torch.cuda.max_memory_allocated(card),
    )
    return DeviceState(threads=torch.get_num_threads(), card=state)


def touch(module: torch.nn.Module) -> int:
    """Read every weight once, so that a file which is mapped lazily lies in memory; returns their bytes."""
    read = 0
    with torch.inference_mode():
        for weight in module.parameters():
            weight.sum().item()
            read += weight.nbytes
    return read


def release(module: torch.nn.Module) -> None:
    """Give back the memory of a model's weights; the model itself can no longer be used, whoever refers to it."""
    module.to("meta")
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
