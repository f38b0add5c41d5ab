"""Families whose whole state is keys and values: in each, speculation gives what a plain loop gives."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
import torch
from transformers import (
    BartConfig,
    BloomConfig,
    Cohere2Config,
    DeepseekV2Config,
    DeepseekV3Config,
    FalconConfig,
    Gemma2Config,
    Gemma3nTextConfig,
    Gemma3TextConfig,
    GPT2Config,
    GPTNeoConfig,
    GPTNeoXConfig,
    GptOssConfig,
    Llama4TextConfig,
    MarianConfig,
    MistralConfig,
    MixtralConfig,
    MptConfig,
    Olmo3Config,
    OPTConfig,
    Phi3Config,
    Qwen2Config,
    Qwen2MoeConfig,
)

from caches import cache_error
from families import LATENT, build
from scripted import Never
from speclab.backends.hf.model import HFModel
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from tiny import contrary, disturbed, full_logits, plain_greedy

WINDOW: dict[str, Any] = {"sliding_window": 8, "head_dim": 16}
MIXED: dict[str, Any] = {**WINDOW, "layer_types": ["sliding_attention", "full_attention"]}
EXPERTS: dict[str, Any] = {"num_local_experts": 4, "num_experts_per_tok": 2}
DECODER: dict[str, Any] = {"decoder_attention_heads": 2, "decoder_ffn_dim": 32, "init_std": 0.3}
WINDOWED: dict[str, tuple[Any, dict[str, Any]]] = {
    "mistral": (MistralConfig, WINDOW),
    "phi3": (Phi3Config, {"sliding_window": 8}),
    "qwen2, above": (Qwen2Config, {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}),
    "gemma2": (Gemma2Config, WINDOW),
    "gemma3": (Gemma3TextConfig, MIXED),
    "cohere2": (Cohere2Config, MIXED),
    "olmo3": (Olmo3Config, MIXED),
    "gpt-oss, sinks and experts": (GptOssConfig, {**MIXED, **EXPERTS}),
    "gpt-neo, local": (GPTNeoConfig, {"attention_types": [[["global", "local"], 1]], "window_size": 8}),
    "llama4, chunks": (
        Llama4TextConfig,
        {
            "attention_chunk_size": 8,
            "head_dim": 16,
            "num_local_experts": 2,
            "intermediate_size_mlp": 32,
            "layer_types": ["chunked_attention", "full_attention"],
        },
    ),
}
"""By a window of eight positions, on every layer or on one of two."""
WHOLE: dict[str, tuple[Any, dict[str, Any]]] = {
    "qwen2": (Qwen2Config, {}),
    "gpt2, absolute positions": (GPT2Config, {}),
    "opt, absolute positions": (OPTConfig, {"ffn_dim": 32, "word_embed_proj_dim": 32, "init_std": 0.2}),
    "gpt-neox, no decoder by its configuration": (GPTNeoXConfig, {}),
    "falcon, rotary": (FalconConfig, {}),
    "falcon, alibi": (FalconConfig, {"alibi": True}),
    "bloom, alibi": (BloomConfig, {}),
    "mpt, alibi": (MptConfig, {"max_seq_len": 64}),
    "deepseek v2, latent": (DeepseekV2Config, LATENT),
    "deepseek v3, latent": (DeepseekV3Config, LATENT),
    "mixtral, experts": (MixtralConfig, EXPERTS),
    "qwen2, experts": (
        Qwen2MoeConfig,
        {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16},
    ),
    "bart's decoder, the deeper half": (BartConfig, {**DECODER, "num_hidden_layers": 1, "decoder_layers": 2}),
    "marian's decoder, the shallower half": (
        MarianConfig,
        {**DECODER, "num_hidden_layers": 3, "decoder_layers": 2, "pad_token_id": 0},
    ),
    "gemma3n, keys of another layer": (
        Gemma3nTextConfig,
        {
            "num_hidden_layers": 3,
            "num_kv_shared_layers": 1,
            "layer_types": ["full_attention"] * 3,
            "intermediate_size": [32] * 3,
            "activation_sparsity_pattern": [0.0] * 3,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": 64,
            "laurel_rank": 4,
            "altup_num_inputs": 2,
        },
    ),
}
FAMILIES = {**WINDOWED, **WHOLE}
RUNS = [*((name, prompt, 30) for name in WINDOWED for prompt in (6, 20)), *((name, 6, 12) for name in WHOLE)]
"""Family, length of the prompt (below and above a window) and new tokens."""


@cache
def model_of(family: str) -> Any:
    """One model a family."""
    return build(*FAMILIES[family])


@pytest.mark.parametrize("family", FAMILIES)
def test_passes_and_cuts_give_the_logits_of_one_pass(family: str) -> None:
    """Wrong tokens fed in several passes and cut off, then right ones: before and after any window wraps.

    A token that other experts took up because of what shared its pass would be far off too.
    """
    model = model_of(family)
    ids = torch.randint(0, 64, (40,), generator=torch.Generator().manual_seed(1)).tolist()
    due = full_logits(model, ids)
    ours = HFModel(model)
    draws = random.Random(2)
    rows = [ours.feed(ids[:6])]
    while ours.length < 40:
        start = ours.length
        for _ in range(3):
            ours.feed([draws.randrange(64) for _ in range(draws.randint(1, 2))])
        ours.rollback(start)
        rows.append(ours.feed(ids[start : start + draws.randint(1, 5)]))
    got = torch.cat(rows)
    assert got.shape == due.shape
    assert float((got - due).abs().max()) < 1e-3 * float(due.std())
    assert cache_error(ours, ids) < 1e-4


@pytest.mark.parametrize(("family", "length", "tokens"), RUNS)
def test_greedy_output_is_that_of_a_plain_loop(family: str, length: int, tokens: int) -> None:
    """With a draft that is never right, sometimes, or always; in the end the caches hold what fresh ones do."""
    model = model_of(family)
    prompt = [(7 * place**2 + 3) % 64 for place in range(length)]
    due = plain_greedy(model, prompt, tokens)
    assert len(set(due)) > 2
    sequence = [*prompt, *due]
    accepted = []
    for twin, k in ((contrary(model), 2), (disturbed(model, 0.12), 4), (model, 4)):
        target, draft = HFModel(model), HFModel(twin)
        loop = speculative(
            target, DraftModel(draft), prompt, k=k, sampling=GREEDY, source=Never(), max_new_tokens=tokens
        )
        result = collect(loop)
        assert result.ids == due
        assert (target.length, draft.ids) == (len(sequence) - 1, sequence[: draft.length])
        assert max(cache_error(target, sequence), cache_error(draft, sequence)) < 1e-4
        accepted.append(sum(each.accepted for each in result.iterations))
    assert accepted[0] == 0 < accepted[1] < accepted[2]
