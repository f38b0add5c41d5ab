"""Which transformers models the loop can use, and in one line why it cannot use the others.

The loop feeds several tokens in one pass and takes some of them back. That needs a causal model whose whole state
is keys and values, one entry a position, on every layer.
"""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from transformers import DynamicCache, PreTrainedModel, cache_utils
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from speclab.errors import InputError

if TYPE_CHECKING:
    from typing import NoReturn

    from transformers import PreTrainedConfig

CACHE_KEYWORDS = ("cache", "past_key_values")
"""Newest first: transformers renamed it in 5.24, and a name that `forward` lacks is ignored without an error."""

DYNAMIC = frozenset({None, "dynamic", "hybrid"})
"""Values of `cache_implementation` that leave the choice open; older checkpoints were stored with "hybrid", which
transformers treats as not set."""

CONTEXT_NAMES = ("max_position_embeddings", "max_target_positions", "max_seq_len")
"""Under which a configuration states the largest number of positions."""

EMPTY = frozenset({getattr(cache_utils, "DummyLayer", None)} - {None})
"""Places in a cache that hold nothing: of layers that read another layer's keys, or have no attention at all. In
transformers 5.17 such layers have no place."""

CROPPABLE = frozenset({DynamicLayer, DynamicSlidingWindowLayer}) | EMPTY
"""Layers of a cache that are nothing but keys and values, one entry a position."""

NO_LIMIT = sys.maxsize
"""The context of a model that has no largest position."""


class UnsupportedModelError(InputError):
    """The model's state cannot be cut back, or it is no causal language model."""


def require_supported(model: object) -> None:
    """Check what the class and the configuration tell; `new_cache` checks the layers.

    Raises:
        UnsupportedModelError: Naming what stands in the way.
    """
    name = type(model).__name__
    if not isinstance(model, PreTrainedModel):
        _refuse(name, "is no transformers model")
    if model.config.is_encoder_decoder:
        _refuse(name, "is an encoder-decoder")
    if _looks_ahead(model):
        _refuse(name, "lets tokens attend to later ones")
    if _counts_padding(model):
        _refuse(name, "counts positions by its padding token, so that a token's place depends on the pass")
    if not model.can_generate():
        _refuse(name, "does not generate text")
    if model._is_stateful:  # noqa: SLF001 - how transformers marks a state that no crop can restore
        _refuse(name, f"keeps a recurrent state ({_layer_types(model.config)}), which cannot be cut back")
    wanted = getattr(model.generation_config, "cache_implementation", None)
    if wanted not in DYNAMIC:
        msg = (
            f"{name} asks for a {wanted!r} cache, and only a dynamic one can be cut back: "
            "set generation_config.cache_implementation to None"
        )
        raise UnsupportedModelError(msg)


def cache_keyword(model: PreTrainedModel) -> str:
    """Under which name `forward` takes the cache.

    Raises:
        UnsupportedModelError: When it takes none.
    """
    taken = inspect.signature(model.forward).parameters
    keyword = next((each for each in CACHE_KEYWORDS if each in taken), None)
    if keyword is None:
        _refuse(type(model).__name__, "takes no key-value cache")
    return keyword


def new_cache(config: PreTrainedConfig) -> DynamicCache:
    """An empty cache for a model of this configuration, which keeps every position on every layer.

    Layers with a sliding window get one too. The window then only masks: keeping no more than the window would
    save memory, but such a layer can be cut back over one pass at most (in transformers 5.17 a second pass
    without a cut even fails), while a draft makes several before it is cut.

    A decoder cut out of an encoder-decoder calls the encoder's number of layers its own; its cache gets as many
    layers as the decoder has.

    Raises:
        UnsupportedModelError: Naming the first layer that cannot be cut back.
    """
    cache = DynamicCache(config=config)
    for index, layer in enumerate(cache.layers):
        require_croppable(layer, index, config)
    full: Any = DynamicLayer  # its constructor is untyped
    if hasattr(config, "decoder_layers"):
        cache.layers = cache.layers[:1] * config.decoder_layers
    cache.layers = [layer if type(layer) in EMPTY else full() for layer in cache.layers]
    return cache


def require_croppable(layer: object, index: int, config: PreTrainedConfig) -> None:
    """Check that a layer of a cache is nothing but keys and values, one entry a position.

    Raises:
        UnsupportedModelError: Naming the layer's type.
    """
    if type(layer) not in CROPPABLE:
        types = getattr(config.get_text_config(decoder=True), "layer_types", None)
        kind = f"{types[index]} ({type(layer).__name__})" if types else type(layer).__name__
        _refuse(f"layer {index}", f"is of type {kind}, whose cache cannot be cut back after a rejection")


def context_of(config: PreTrainedConfig) -> int:
    """Largest number of positions of a model, by whatever name; `NO_LIMIT` where positions are relative alone.

    A `longrope` model turns keys by other angles once a sequence is longer than its original context, those of a
    whole pass at once: there a pass over several tokens is not what single ones are. Its context ends before.
    """
    text = config.get_text_config(decoder=True)
    limits = [getattr(text, name, None) or NO_LIMIT for name in CONTEXT_NAMES]
    rope = getattr(text, "rope_parameters", None) or {}
    by_layer_type = [each for each in rope.values() if isinstance(each, dict)]
    limits += [
        each["original_max_position_embeddings"]
        for each in (rope, *by_layer_type)
        if each.get("rope_type") == "longrope"
    ]
    return min(limits)


def _looks_ahead(model: PreTrainedModel) -> bool:
    """Whether attention is bidirectional.

    `is_decoder` of the configuration alone does not tell: GPT-NeoX leaves it False. An encoder that was loaded as
    a language model says so in its attention too, by one name or the other.
    """
    if getattr(model.config, "is_causal", True) is False:
        return True
    if getattr(model.config, "is_decoder", True):
        return False
    marks = ("is_causal", "is_decoder")
    return any(getattr(module, mark, True) is False for module in model.modules() for mark in marks)


def _counts_padding(model: PreTrainedModel) -> bool:
    """Whether positions are counted over the tokens that are no padding, as RoBERTa does.

    Where a text holds the padding token, one pass over it numbers the tokens behind otherwise than a cache does.
    """
    return any(
        name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None
        for name, module in model.named_modules()
    )


def _layer_types(config: Any) -> str:
    """The kinds of layer that the configuration lists, each once."""
    types = getattr(config.get_text_config(decoder=True), "layer_types", None)
    return ", ".join(dict.fromkeys(types)) if types else f"model type {config.model_type}"


def _refuse(name: str, why: str) -> NoReturn:
    msg = f"{name} {why}; choose a causal model whose layers are all attention"
    raise UnsupportedModelError(msg)
