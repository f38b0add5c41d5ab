"""What a cache should hold, from a fresh forward without the package."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from transformers import DynamicCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.backends.hf.model import HFModel


@cache
def fresh_layers(model: Any, ids: tuple[int, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Keys and values of each layer after one pass over the ids, all positions, windows or not."""
    fresh: Any = DynamicCache()
    keyword = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
    with torch.no_grad():
        model(torch.tensor([ids]), use_cache=True, **{keyword: fresh})
    return [(layer.keys, layer.values) for layer in fresh.layers]


def cache_error(model: HFModel, sequence: Sequence[int]) -> float:
    """Largest difference of any key or value from a fresh forward of the same prefix of `sequence`.

    Infinite where the cache holds another number of positions than it says, or is no prefix.
    """
    held = model.length
    if model.ids != list(sequence[:held]):
        return float("inf")
    if not held:
        return 0.0
    worst = 0.0
    for layer, fresh in zip(model.layers, fresh_layers(model.model, tuple(sequence[:held])), strict=True):
        for ours, theirs in zip((layer.keys, layer.values), fresh, strict=True):
            if ours.shape != theirs.shape:
                return float("inf")
            worst = max(worst, float((ours - theirs).abs().max()))
    return worst
