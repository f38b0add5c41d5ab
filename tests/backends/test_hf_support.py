"""Models that the loop cannot use are refused in one line, before the first token."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    BloomConfig,
    FalconH1Config,
    GPT2Config,
    JambaConfig,
    Lfm2Config,
    LlamaConfig,
    Mamba2Config,
    MambaConfig,
    OpenAIGPTConfig,
    Phi3Config,
    Qwen3NextConfig,
    RecurrentGemmaConfig,
    RwkvConfig,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.cache_utils import DynamicLayer, QuantoQuantizedLayer, StaticLayer

from speclab.backends.generate import plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.support import NO_LIMIT, context_of, require_croppable
from speclab.errors import InputError
from tiny import tiny_llama

COMMON: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 64,
    "max_position_embeddings": 64,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "mamba": (MambaConfig, {}, "recurrent state .*linear_attention"),
    "mamba2": (Mamba2Config, {"num_heads": 4, "head_dim": 16}, "recurrent state .*linear_attention"),
    "rwkv": (RwkvConfig, {"attention_hidden_size": 32}, "recurrent state .*rwkv"),
    "recurrent gemma": (RecurrentGemmaConfig, {"lru_width": 32}, "recurrent state"),
    "hybrid, linear attention": (Qwen3NextConfig, {"head_dim": 16}, "linear_attention, full_attention"),
    "hybrid, mamba": (JambaConfig, {}, "recurrent state .*linear_attention"),
    "hybrid in one layer": (
        FalconH1Config,
        {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_ssm": 64},
        "recurrent state .*hybrid",
    ),
    "convolutions": (
        Lfm2Config,
        {"layer_types": [*["full_attention", "conv"] * 2]},
        r"layer 1 is of type conv \(LinearAttentionLayer\)",
    ),
    "bidirectional": (BertConfig, {}, "attend to later ones"),
    "no cache": (OpenAIGPTConfig, {"n_embd": 32, "n_layer": 1, "n_head": 2}, "takes no key-value cache"),
}


def build(config: Any) -> Any:
    """A tiny model of random weights."""
    make: Any = AutoModelForCausalLM.from_config
    return make(config).eval()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_reason(name: str) -> None:
    """As target and as draft; the message is one line and says what to choose instead."""
    config, own, reason = REFUSED[name]
    model = build(config(**{**COMMON, **own}))
    for target, draft in ((model, tiny_llama()), (tiny_llama(), model)):
        with pytest.raises(InputError, match=reason) as raised:
            speculative_generate(target, draft, [1, 2])
        assert "\n" not in str(raised.value)
        assert "choose a causal model" in str(raised.value)


def test_encoder_decoder_is_refused() -> None:
    """Plainly, and not by a shape."""
    config = cast("Any", T5Config)(d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, vocab_size=64)
    model = cast("Any", T5ForConditionalGeneration)(config)
    with pytest.raises(InputError, match="T5ForConditionalGeneration is an encoder-decoder"):
        HFModel(model)


@pytest.mark.parametrize("thing", [torch.nn.Linear(2, 2), "gpt2", None])
def test_what_is_no_model_is_refused(thing: Any) -> None:
    """A name, a module, nothing."""
    with pytest.raises(InputError, match="is no transformers model"):
        plain_generate(thing, [1])


@pytest.mark.parametrize("wanted", ["static", "offloaded_static", "quantized", "offloaded"])
def test_asked_for_caches_are_refused(wanted: str) -> None:
    """A generation_config that names another cache is not overruled without a word."""
    model = tiny_llama()
    model.generation_config.cache_implementation = wanted
    with pytest.raises(InputError, match=f"asks for a '{wanted}' cache.*cache_implementation to None"):
        HFModel(model)


@pytest.mark.parametrize("wanted", [None, "dynamic", "hybrid"])
def test_open_choices_are_taken(wanted: str | None) -> None:
    """Older checkpoints were stored with "hybrid", which transformers itself treats as not set."""
    model = tiny_llama()
    model.generation_config.cache_implementation = wanted
    assert plain_generate(model, [1, 2], max_new_tokens=2).finish == "length"


def test_layers_that_cannot_be_cut_are_named() -> None:
    """Static and quantised layers, by their class where the configuration has no type for them."""
    config = LlamaConfig(**COMMON)
    make: Any = DynamicLayer
    require_croppable(make(), 0, config)
    for layer in (StaticLayer(max_cache_len=8), object.__new__(QuantoQuantizedLayer)):
        with pytest.raises(InputError, match=f"layer 3 is of type {type(layer).__name__}, whose cache cannot"):
            require_croppable(layer, 3, config)


def test_state_outside_the_cache_is_found_in_the_first_pass() -> None:
    """A layer that does not fill its cache remembers elsewhere, whatever its configuration says."""
    model = tiny_llama()
    model.model.layers[1].self_attn.register_forward_pre_hook(_without_cache, with_kwargs=True)
    with pytest.raises(InputError, match="layer 1 of LlamaForCausalLM put 0 of 1 positions into its cache"):
        plain_generate(model, [1])


def _without_cache(_: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return args, {name: None if name in {"cache", "past_key_values"} else value for name, value in kwargs.items()}


def test_context_comes_from_the_configuration() -> None:
    """Under any of its names; without one there is no limit."""
    assert context_of(LlamaConfig(max_position_embeddings=99)) == 99
    assert context_of(GPT2Config(n_positions=77)) == 77
    assert context_of(BloomConfig()) == NO_LIMIT


def test_longrope_ends_at_the_original_context() -> None:
    """Past it a pass over several tokens turns keys by other angles than single ones; up to it, it is exact."""
    rope = {
        "rope_type": "longrope",
        "rope_theta": 10_000.0,
        "short_factor": [1.0] * 8,
        "long_factor": [4.0] * 8,
        "original_max_position_embeddings": 16,
        "factor": 4.0,
    }
    config = Phi3Config(**COMMON, rope_parameters=rope, original_max_position_embeddings=16)
    assert context_of(config) == 16
    model = build(config)
    result = speculative_generate(model, model, [1, 2, 3], k=4, max_new_tokens=40)
    assert (len(result.ids), result.finish) == (13, "context")
