"""Drafts of every quality for one target, and plain decoding by transformers with the same processors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import LogitsProcessorList

from tiny import contrary, disturbed, full_logits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.protocols import RandomSource


def drafts(model: Any) -> dict[str, Any]:
    """One that always agrees, one that never does, one that often does, and one that knows nothing of it."""
    with torch.random.fork_rng():
        torch.manual_seed(99)
        stranger = type(model)(model.config)
    return {
        "self": model,
        "contrary": contrary(model),
        "disturbed": disturbed(model, 0.1),
        "stranger": stranger.requires_grad_(requires_grad=False).to(model.dtype).eval(),
    }


def generated(model: Any, prompt: Sequence[int], tokens: int, **options: Any) -> tuple[int, ...]:
    """New tokens of transformers' own `generate`, a token a pass."""
    ids = torch.tensor([list(prompt)])
    sequence: list[int] = model.generate(ids, max_new_tokens=tokens, **options)[0].tolist()
    return tuple(sequence[len(prompt) :])


def plain_sampled(
    model: Any, prompt: Sequence[int], tokens: int, processors: Sequence[Any], source: RandomSource
) -> tuple[int, ...]:
    """Draw from the softmax of each processed row, the whole sequence passed anew each time."""
    apply: Any = LogitsProcessorList(processors)
    ids = list(prompt)
    while len(ids) < len(prompt) + tokens:
        scores = apply(torch.tensor([ids]), full_logits(model, ids)[-1:])
        ids.append(source.choose(scores[0].softmax(-1), len(ids)))
    return tuple(ids[len(prompt) :])
