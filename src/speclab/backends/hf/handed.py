"""What `generate` hands to a decoding function, and what of it the loop cannot honour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transformers.generation.configuration_utils import GenerationMode

from speclab.backends.hf.support import CACHE_KEYWORDS, DYNAMIC
from speclab.errors import InputError

if TYPE_CHECKING:
    from typing import NoReturn

    import torch
    from torch import Tensor

MODES = frozenset({GenerationMode.GREEDY_SEARCH, GenerationMode.SAMPLE})
OUTPUTS = ("output_scores", "output_logits", "output_attentions", "output_hidden_states")
IGNORED = frozenset({"attention_mask", "position_ids", "logits_to_keep", "use_cache", *CACHE_KEYWORDS})
"""Arguments of the models' passes that the loop makes itself; the first two and the cache are looked at."""


def require_usable(input_ids: Tensor, device: torch.device, config: Any, model_kwargs: dict[str, Any]) -> None:
    """Check that this is one prompt, to be continued greedily or by sampling, from an empty cache.

    Args:
        input_ids: The prompt, shape [1, tokens].
        device: Of the target; `generate` made processors for that of the prompt.
        config: The generation_config.
        model_kwargs: What else goes to the models' passes.

    Raises:
        InputError: Naming what cannot be honoured.
    """
    mode = config.get_generation_mode()
    if mode not in MODES:
        _refuse(mode.value.replace("_", " "), "decode greedily or with do_sample=True")
    if (config.num_return_sequences or 1) > 1:
        _refuse(f"num_return_sequences={config.num_return_sequences}", "call it once for each")
    if len(input_ids) > 1:
        _refuse(f"a batch of {len(input_ids)} prompts", "call it once for each")
    if input_ids.device != device:
        _refuse(f"a prompt on {input_ids.device} with a model on {device}", "move it with .to(model.device)")
    for name in OUTPUTS:
        if getattr(config, name, None):
            _refuse(name, "leave it out")
    for name, value in model_kwargs.items():
        if name not in IGNORED and value is not None:
            _refuse(name, "give input_ids alone")
    _require_no_padding(input_ids.shape[-1], model_kwargs)
    _require_new_cache(config, model_kwargs)


def _require_no_padding(length: int, model_kwargs: dict[str, Any]) -> None:
    """Every token counts, and each stands at its own position."""
    mask, positions = (model_kwargs.get(name) for name in ("attention_mask", "position_ids"))
    if mask is not None and not bool((mask == 1).all()):
        _refuse("an attention_mask with zeros", "leave the padding out of the prompt")
    if positions is not None and positions.flatten().tolist() != list(range(length)):
        _refuse("position_ids of its own", "leave them out")


def _require_new_cache(config: Any, model_kwargs: dict[str, Any]) -> None:
    """Nothing asks for another cache than the loop's own, which is dynamic and starts empty."""
    if config.cache_implementation not in DYNAMIC:
        _refuse(f"a cache of kind {config.cache_implementation!r}", "leave cache_implementation out")
    for name in CACHE_KEYWORDS:
        cache = model_kwargs.get(name)
        # `generate` makes an empty one where the user gives none, and marks one that was given.
        if cache is not None and (getattr(cache, "_is_user_defined", False) or cache.get_seq_length()):
            _refuse(f"a {type(cache).__name__} that was made before", f"leave {name} out")


def _refuse(what: str, remedy: str) -> NoReturn:
    msg = f"speculative decoding inside generate does not take {what}: {remedy}"
    raise InputError(msg)
