"""Families that the loop cannot use are refused in one line, before any pass."""

from __future__ import annotations

from typing import Any

import pytest
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoModelForSpeechSeq2Seq,
    BambaConfig,
    BartConfig,
    BertConfig,
    BigBirdConfig,
    DeepseekV32Config,
    FalconH1Config,
    FalconMambaConfig,
    GraniteMoeHybridConfig,
    JambaConfig,
    Lfm2Config,
    Mamba2Config,
    MambaConfig,
    MarianConfig,
    MegatronBertConfig,
    MiniMaxConfig,
    NemotronHConfig,
    OpenAIGPTConfig,
    Qwen3NextConfig,
    RecurrentGemmaConfig,
    RemBertConfig,
    RobertaConfig,
    RoFormerConfig,
    RwkvConfig,
    T5Config,
    WhisperConfig,
    Zamba2Config,
    xLSTMConfig,
)

from families import LATENT, build
from speclab.backends.generate import speculative_generate
from speclab.errors import InputError
from tiny import tiny_llama

HYBRID = {"mamba_n_heads": 4, "mamba_d_head": 16}
STATE = "keeps a recurrent state .*"
AHEAD = "lets tokens attend to later ones"
HALVES = {
    "num_hidden_layers": 1,
    "decoder_layers": 1,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 32,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
CAUSAL: dict[str, tuple[Any, dict[str, Any], str]] = {
    "mamba": (MambaConfig, {}, f"MambaForCausalLM {STATE}linear_attention"),
    "mamba2": (Mamba2Config, {"num_heads": 4, "head_dim": 16}, f"Mamba2ForCausalLM {STATE}linear_attention"),
    "falcon mamba": (FalconMambaConfig, {}, f"FalconMambaForCausalLM {STATE}linear_attention"),
    "rwkv": (RwkvConfig, {"attention_hidden_size": 32}, f"RwkvForCausalLM {STATE}rwkv"),
    "xlstm": (xLSTMConfig, {"num_heads": 2, "num_blocks": 2}, f"xLSTMForCausalLM {STATE}xlstm"),
    "recurrent gemma": (RecurrentGemmaConfig, {"lru_width": 32}, f"RecurrentGemmaForCausalLM {STATE}"),
    "jamba": (JambaConfig, {}, f"JambaForCausalLM {STATE}linear_attention"),
    "bamba": (BambaConfig, HYBRID, f"BambaForCausalLM {STATE}linear_attention"),
    "zamba2": (Zamba2Config, {"num_hidden_layers": 54, "n_mamba_heads": 4}, f"Zamba2ForCausalLM {STATE}hybrid"),
    "nemotron h": (NemotronHConfig, {}, f"NemotronHForCausalLM {STATE}linear_attention"),
    "granite, hybrid": (
        GraniteMoeHybridConfig,
        {**HYBRID, "layer_types": ["mamba", "attention"]},
        f"GraniteMoeHybridForCausalLM {STATE}linear_attention, full_attention",
    ),
    "falcon h1, both in one layer": (
        FalconH1Config,
        {**HYBRID, "mamba_d_ssm": 64},
        f"FalconH1ForCausalLM {STATE}hybrid",
    ),
    "qwen3 next": (
        Qwen3NextConfig,
        {"head_dim": 16, "layer_types": ["linear_attention", "full_attention"]},
        f"Qwen3NextForCausalLM {STATE}linear_attention, full_attention",
    ),
    "minimax, lightning attention": (
        MiniMaxConfig,
        {"layer_types": ["full_attention", "linear_attention"]},
        r"layer 1 is of type linear_attention \(LinearAttentionLayer\)",
    ),
    "lfm2, convolutions": (
        Lfm2Config,
        {"layer_types": ["full_attention", "conv"]},
        r"layer 1 is of type conv \(LinearAttentionLayer\)",
    ),
    "deepseek v3.2, an indexer": (DeepseekV32Config, LATENT, r"layer 0 is of type .* \(DynamicIndexedLayer\)"),
    "bert": (BertConfig, {}, f"BertLMHeadModel {AHEAD}"),
    "rembert": (RemBertConfig, {}, f"RemBertForCausalLM {AHEAD}"),
    "big bird": (BigBirdConfig, {}, f"BigBirdForCausalLM {AHEAD}"),
    "roformer": (RoFormerConfig, {}, f"RoFormerForCausalLM {AHEAD}"),
    "megatron bert": (MegatronBertConfig, {}, f"MegatronBertForCausalLM {AHEAD}"),
    "roberta": (
        RobertaConfig,
        {"is_decoder": True, "pad_token_id": 1},
        "RobertaForCausalLM counts positions by its padding token",
    ),
    "gpt": (OpenAIGPTConfig, {"n_embd": 32, "n_layer": 1, "n_head": 2}, "takes no key-value cache"),
}
TWO_HALVES: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "t5": (T5Config, {"d_kv": 8}, AutoModelForSeq2SeqLM),
    "bart": (BartConfig, HALVES, AutoModelForSeq2SeqLM),
    "marian": (MarianConfig, HALVES, AutoModelForSeq2SeqLM),
    "whisper": (
        WhisperConfig,
        {**HALVES, "encoder_layers": 1, "encoder_attention_heads": 2, "max_target_positions": 16},
        AutoModelForSpeechSeq2Seq,
    ),
}


def require_refused(model: Any, reason: str) -> None:
    """As target and as draft, in one line that says what to choose instead; neither model makes a pass."""
    other = tiny_llama()
    passes: list[str] = []
    for each in (model, other):
        each.register_forward_pre_hook(lambda module, _: passes.append(type(module).__name__))
    for target, draft in ((model, other), (other, model)):
        with pytest.raises(InputError, match=reason) as raised:
            speculative_generate(target, draft, [1, 2])
        assert "\n" not in str(raised.value)
        assert "choose a causal model whose layers are all attention" in str(raised.value)
    assert not passes


@pytest.mark.parametrize("family", CAUSAL)
def test_state_or_attention_that_is_not_enough(family: str) -> None:
    """The class, and the kind of layer where it is the layer."""
    config, own, reason = CAUSAL[family]
    require_refused(build(config, own), reason)


@pytest.mark.parametrize("family", TWO_HALVES)
def test_encoder_decoders(family: str) -> None:
    """Plainly, and not by a shape."""
    config, own, auto = TWO_HALVES[family]
    model = build(config, own, auto=auto)
    require_refused(model, f"{type(model).__name__} is an encoder-decoder")
