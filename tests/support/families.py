"""Tiny models of many families, from configurations of a few lines."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoModelForCausalLM

COMMON: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 64,
    "max_position_embeddings": 64,
    "initializer_range": 0.2,
    "tie_word_embeddings": False,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
"""Most configurations take these under these names; the others keep what they do not know and never look at it."""

LATENT: dict[str, Any] = {
    "num_key_value_heads": 2,
    "kv_lora_rank": 16,
    "q_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
    "head_dim": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
}
"""What DeepSeek's attention and experts take besides."""


def configure(config: Any, own: dict[str, Any]) -> Any:
    """A configuration of its own options on top of the common ones."""
    return config(**{**COMMON, **own})


def build(config: Any, own: dict[str, Any], *, auto: Any = AutoModelForCausalLM) -> Any:
    """A tiny model of a family, with random weights in float32."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = auto.from_config(configure(config, own))
    return model.eval().requires_grad_(requires_grad=False)
