"""A transformers model and its key-value cache behind the loop's protocol."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, cast

import torch

from speclab.backends.hf.sampling import law
from speclab.backends.hf.support import (
    EMPTY,
    UnsupportedModelError,
    cache_keyword,
    context_of,
    new_cache,
    require_supported,
)
from speclab.decoding.protocols import RollbackError
from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from torch import Tensor
    from transformers import DynamicCache, PreTrainedModel

    from speclab.decoding.sampling import Sampling


class HFModel:
    """A causal transformers model with a cache of its own, for one sequence.

    The length of every layer is checked after every pass and every cut: both can go wrong without a word.

    Args:
        model: Loaded and on its device; it is put into evaluation mode.
        vocabulary: Number of real token ids. The rows of the output matrix from there on are padding: they are
            cut off, so that they are neither proposed nor emitted. All rows where it is not given.

    Raises:
        InputError: When the model cannot be used, or has fewer rows than `vocabulary`.
    """

    def __init__(self, model: PreTrainedModel, *, vocabulary: int | None = None) -> None:
        require_supported(model)
        self.model = cast("Any", model)  # its methods are untyped
        self.model.eval()
        rows = self.model.get_output_embeddings().weight.shape[0]
        self.vocabulary: int = rows if vocabulary is None else vocabulary
        if not 0 < self.vocabulary <= rows:
            msg = f"the model's output has {rows} rows, which do not make a vocabulary of {vocabulary}"
            raise InputError(msg)
        self.context = context_of(model.config)
        self.ids: list[int] = []
        self._cache_keyword = cache_keyword(model)
        self._keeps_last = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._cache = new_cache(model.config)

    @property
    def length(self) -> int:
        """Positions in the cache."""
        return len(self.ids)

    @property
    def device(self) -> torch.device:
        """Where the inputs go, and the logits come from."""
        device: torch.device = self.model.device
        return device

    @property
    def end_of_text(self) -> tuple[int, ...]:
        """The ids that end an output, as the model's generation_config names them."""
        named = getattr(self.model.generation_config, "eos_token_id", None)
        return tuple(named) if isinstance(named, list | tuple) else () if named is None else (named,)

    @property
    def cache(self) -> DynamicCache:
        """The cache itself, as transformers takes it; whoever changes it uses this model up."""
        return self._cache

    @property
    def layers(self) -> Sequence[Any]:
        """What the cache holds, layer by layer: `keys` and `values` of shape [1, heads, positions, head size].

        A layer that reads another's keys holds none and is left out.
        """
        return [layer for layer in self._cache.layers if type(layer) not in EMPTY]

    @torch.inference_mode()
    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
        """Append tokens to the cache and return the logits after each of them.

        Args:
            ids: Tokens that follow what the cache holds; at least one.
            last: Return only this many last rows; the others are then not even computed.

        Returns:
            Logits, shape [len(ids), vocabulary] or [last, vocabulary], in float64 where the model computes in
            it and else in float32.

        Raises:
            InputError: When an id is outside the vocabulary, or the context is full.
            RollbackError: When a layer did not take in all tokens.
        """
        self._check_input(ids)
        keep = min(last or len(ids), len(ids))
        options = {"logits_to_keep": keep} if self._keeps_last else {}
        inputs = torch.tensor([ids], dtype=torch.long, device=self.device)
        output = self.model(inputs, use_cache=True, **{self._cache_keyword: self._cache}, **options)
        first = not self.ids
        self.ids.extend(ids)
        self._check_layers(first=first)
        logits: Tensor = output.logits[0, -keep:, : self.vocabulary]
        return logits if logits.dtype == torch.float64 else logits.float()

    def rollback(self, length: int) -> None:
        """Cut every layer of the cache back to exactly `length` positions.

        Raises:
            RollbackError: When the cache is shorter, or a layer did not end at that length.
        """
        if not 0 <= length <= self.length:
            msg = f"a cache of {self.length} positions cannot be cut back to {length}"
            raise RollbackError(msg)
        self._cache.crop(length - self.length)
        del self.ids[length:]
        self._check_layers()

    def law(self, row: Tensor, sampling: Sampling) -> Tensor:
        """The law of one row of logits under a sampling."""
        return law(row, sampling)

    @torch.inference_mode()
    def fork(self) -> Self:
        """The same weights with a copy of the cache's tensors."""
        twin = type(self)(self.model, vocabulary=self.vocabulary)
        if self.length:
            for theirs, ours in zip(twin.layers, self.layers, strict=True):
                theirs.update(ours.keys, ours.values)  # which copies, as it joins them to an empty tensor
        twin.ids = list(self.ids)
        return twin

    def _check_input(self, ids: Sequence[int]) -> None:
        if not ids:
            msg = "a pass needs at least one token"
            raise InputError(msg)
        for token in (min(ids), max(ids)):
            if not 0 <= token < self.vocabulary:
                msg = f"token {token} is outside the model's vocabulary of {self.vocabulary}"
                raise InputError(msg)
        if self.length + len(ids) > self.context:
            msg = f"{self.length + len(ids)} positions are more than the model's context of {self.context}"
            raise InputError(msg)

    def _check_layers(self, *, first: bool = False) -> None:
        """Compare the length of every layer with the tokens that the cache should hold."""
        for index, layer in enumerate(self.layers):
            held = layer.get_seq_length()
            if held == self.length:
                continue
            if first:
                msg = (
                    f"layer {index} of {type(self.model).__name__} put {held} of {self.length} positions into its "
                    "cache: what else it remembers cannot be cut back; choose a causal model whose layers are all "
                    "attention"
                )
                raise UnsupportedModelError(msg)
            msg = f"layer {index} ({type(layer).__name__}) holds {held} positions where {self.length} are due"
            raise RollbackError(msg)
