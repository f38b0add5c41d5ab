"""What a model and its cache must be, and how many positions it has."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from transformers import (
    BloomConfig,
    DynamicCache,
    GPT2Config,
    LlamaConfig,
    MptConfig,
    Phi3Config,
    WhisperConfig,
    cache_utils,
)

from families import build, configure
from speclab.backends.generate import plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.support import NO_LIMIT, context_of, new_cache, require_croppable
from speclab.errors import InputError
from tiny import tiny_llama

TAKEN = {"DynamicLayer", "DynamicSlidingWindowLayer", "DummyLayer"}
LAYERS = {
    name: kind
    for name, kind in vars(cache_utils).items()
    if name.endswith("Layer") and isinstance(kind, type) and not inspect.isabstract(kind)
}
"""Every kind of layer that a cache of this transformers can have."""


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


@pytest.mark.parametrize("name", LAYERS)
def test_every_other_layer_is_refused_by_name(name: str) -> None:
    """Static, quantised, recurrent, indexed, or new: only what is known to be keys and values is taken."""
    layer: object = object.__new__(LAYERS[name])
    if name in TAKEN:
        require_croppable(layer, 3, LlamaConfig())
        return
    with pytest.raises(InputError, match=f"layer 3 is of type {name}, whose cache cannot be cut back"):
        require_croppable(layer, 3, LlamaConfig())


def test_layers_keep_every_position() -> None:
    """Also where transformers itself would keep a window."""
    config = configure(Phi3Config, {"sliding_window": 8})
    theirs, ours = DynamicCache(config=config), new_cache(config)
    assert [type(layer).__name__ for layer in theirs.layers] == ["DynamicSlidingWindowLayer"] * 2
    assert [type(layer).__name__ for layer in ours.layers] == ["DynamicLayer"] * 2


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
    assert context_of(MptConfig(max_seq_len=55)) == 55
    assert context_of(WhisperConfig(max_target_positions=33)) == 33
    assert context_of(BloomConfig()) == NO_LIMIT


@pytest.mark.parametrize("config", [GPT2Config, MptConfig, LlamaConfig])
def test_context_is_used_to_its_end(config: Any) -> None:
    """Up to the last position, by learned positions, by alibi and by rotary ones."""
    own = {"max_seq_len": 24} if config is MptConfig else {"max_position_embeddings": 24}
    model = build(config, own)
    result = speculative_generate(model, model, [1, 2, 3], k=4, max_new_tokens=40)
    assert (len(result.ids), result.finish) == (21, "context")


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
    own = {"rope_parameters": rope, "original_max_position_embeddings": 16}
    assert context_of(configure(Phi3Config, own)) == 16
    model = build(Phi3Config, own)
    result = speculative_generate(model, model, [1, 2, 3], k=4, max_new_tokens=40)
    assert (len(result.ids), result.finish) == (13, "context")
