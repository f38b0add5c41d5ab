"""A tiny causal model in float64, made on the spot: small enough for every outcome of decoding to be counted."""

from __future__ import annotations

from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from speclab.backends.hf.model import HFModel


@torch.no_grad()
def tiny_llama(seed: int, vocabulary: int, *, sharpness: float = 1.0) -> HFModel:
    """One layer of random weights, wide enough that what came before weighs on every choice.

    Args:
        seed: Of the weights.
        vocabulary: Number of token ids.
        sharpness: Scales the logits, so that the choices are clear; below 0 the unlikely become likely.
    """
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=64,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: Any = LlamaForCausalLM(config)
    model.requires_grad_(requires_grad=False)
    model.lm_head.weight.mul_(sharpness)
    return HFModel(model.to(torch.float64))
