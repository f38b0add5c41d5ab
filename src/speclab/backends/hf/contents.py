"""What a cache really holds, and how far that is from what a fresh pass puts there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from speclab.backends.hf.model import HFModel

if TYPE_CHECKING:
    from collections.abc import Hashable

DIGITS = 11
"""To which two caches in float64 count as the same: one token a pass or several differ behind these."""


def content(model: HFModel) -> Hashable:
    """Tokens, keys and values of a cache in float64, to `DIGITS` decimals."""
    parts = [part.flatten() for layer in model.layers if model.length for part in (layer.keys, layer.values)]
    flat = torch.cat(parts).round(decimals=DIGITS) if parts else torch.empty(0)
    return tuple(model.ids), flat.numpy().tobytes()


@dataclass(frozen=True, slots=True)
class CacheError:
    """How a cache differs from a fresh one.

    Attributes:
        positions: Positions that it holds too many (or, negative, too few).
        largest: Largest difference of a key or value at the positions that both have.
    """

    positions: int
    largest: float


@torch.inference_mode()
def cache_error(model: HFModel) -> CacheError:
    """Compare a cache with that of one fresh pass over the same tokens."""
    if not model.length:
        return CacheError(0, 0.0)
    fresh = HFModel(model.model, vocabulary=model.vocabulary)
    fresh.feed(model.ids, last=1)
    off, largest = 0, 0.0
    for ours, theirs in zip(model.layers, fresh.layers, strict=True):
        off = ours.keys.shape[-2] - theirs.keys.shape[-2]
        both = min(ours.keys.shape[-2], theirs.keys.shape[-2])
        for held, due in ((ours.keys, theirs.keys), (ours.values, theirs.values)):
            if both:
                largest = max(largest, float((held[..., :both, :] - due[..., :both, :]).abs().max()))
    return CacheError(off, largest)
