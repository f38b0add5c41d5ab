"""What a cache should hold, from a fresh forward without the package, and a cache that is wrong on purpose."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from speclab.backends.hf.model import HFModel

if TYPE_CHECKING:
    from collections.abc import Sequence


class OneTooLong(HFModel):
    """A cache that keeps one stale position from the first cut on, and says nothing of it."""

    def rollback(self, length: int) -> None:
        held = self.layers[0].get_seq_length()
        self._cache.crop(min(held, length + 1) - held)
        del self.ids[length:]

    def _check_layers(self, *, first: bool = False) -> None:
        """The check that would find it."""


@cache
def fresh_layers(model: Any, ids: tuple[int, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Keys and values of each layer after one pass over the ids, in the cache that transformers makes itself."""
    with torch.no_grad():
        output = model(torch.tensor([ids]), use_cache=True)
    held = output["cache" if "cache" in output else "past_key_values"]  # renamed in transformers 5.24
    return [(layer.keys, layer.values) for layer in held.layers]


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
