"""Tiny causal models made on the spot, and plain decoding written apart from the package."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def tiny_llama(
    seed: int = 1,
    *,
    vocabulary: int = 64,
    layers: int = 2,
    hidden: int = 32,
    context: int = 64,
    sharpness: float = 3.0,
    dtype: torch.dtype = torch.float32,
) -> Any:
    """A Llama of random weights, wide enough that what came before weighs on every choice.

    Args:
        sharpness: Scales the logits up, so that the choices are clear.
    """
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=context,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model: Any = LlamaForCausalLM(config)
    model.requires_grad_(requires_grad=False)
    model.lm_head.weight.mul_(sharpness)
    return model.to(dtype).eval()


@torch.no_grad()
def disturbed(model: Any, noise: float, seed: int = 1) -> Any:
    """A copy with noise on every weight, in units of each tensor's own spread."""
    twin = copy.deepcopy(model)
    generator = torch.Generator().manual_seed(seed)
    for weight in twin.parameters():
        spread = weight.std() if weight.numel() > 1 else weight.abs().mean()
        weight.add_(torch.randn(weight.shape, generator=generator).to(weight.dtype) * spread * noise)
    return twin


@torch.no_grad()
def contrary(model: Any) -> Any:
    """A copy whose likeliest token is always the model's likeliest plus one, so that it never agrees."""
    twin = copy.deepcopy(model)
    head = copy.deepcopy(model.get_output_embeddings())  # not the embeddings', where the two are tied
    for weight in head.parameters():
        weight.copy_(weight.roll(1, 0))
    twin.set_output_embeddings(head)
    return twin


def full_logits(model: Any, ids: Sequence[int]) -> torch.Tensor:
    """Logits after each token, shape [tokens, vocabulary], from one pass without a cache."""
    with torch.no_grad():
        logits: torch.Tensor = model(torch.tensor([list(ids)]), use_cache=False).logits[0]
    return logits


def plain_greedy(model: Any, prompt: Sequence[int], tokens: int, stop: Collection[int] = ()) -> tuple[int, ...]:
    """The likeliest token again and again, the whole sequence passed anew each time."""
    ids = list(prompt)
    while len(ids) < len(prompt) + tokens:
        ids.append(int(full_logits(model, ids)[-1].argmax()))
        if ids[-1] in stop:
            break
    return tuple(ids[len(prompt) :])
