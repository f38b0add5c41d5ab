"""A transformers model behind the loop's protocol: logits, cache, cuts and copies."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    BloomConfig,
    Gemma2Config,
    Gemma3TextConfig,
    GPT2Config,
    GPTNeoXConfig,
    GptOssConfig,
    Llama4TextConfig,
    MistralConfig,
    Qwen2Config,
)

from caches import cache_error
from speclab.backends.generate import speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.decoding.protocols import RollbackError
from speclab.errors import InputError
from tiny import disturbed, full_logits, plain_greedy, tiny_llama

WINDOW = {"sliding_window": 8, "head_dim": 16}
MIXED = [*["sliding_attention", "full_attention"] * 2]
ARCHITECTURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "llama4, chunked": (
        Llama4TextConfig,
        {"attention_chunk_size": 8, "head_dim": 16, "num_local_experts": 2, "intermediate_size_mlp": 32},
    ),
    "mistral, sliding": (MistralConfig, WINDOW),
    "qwen2": (Qwen2Config, {}),
    "qwen2, sliding above": (
        Qwen2Config,
        {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 2},
    ),
    "gemma2, mixed": (Gemma2Config, WINDOW),
    "gemma3, mixed": (Gemma3TextConfig, {**WINDOW, "layer_types": MIXED}),
    "gpt-oss, mixed": (GptOssConfig, {**WINDOW, "num_local_experts": 2, "num_experts_per_tok": 1}),
    "gpt2, absolute positions": (GPT2Config, {"initializer_range": 0.2}),
    "gpt-neox": (GPTNeoXConfig, {}),
    "bloom, no positions": (BloomConfig, {"n_layer": 4, "n_head": 2}),
}
COMMON: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 64,
    "max_position_embeddings": 64,
    "initializer_range": 0.2,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}


def build(name: str) -> Any:
    """A tiny model of an architecture, with random weights."""
    config, own = ARCHITECTURES[name]
    make: Any = AutoModelForCausalLM.from_config
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = make(config(**{**COMMON, **own})).eval()
    return model.requires_grad_(requires_grad=False)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_passes_and_cuts_give_the_logits_of_one_pass(name: str) -> None:
    """Wrong tokens fed in several passes and cut off, then right ones: before and after any window wraps."""
    model = build(name)
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


@pytest.mark.parametrize("prompt", [6, 20], ids=["wraps on the way", "wrapped by the prompt"])
@pytest.mark.parametrize("name", ["mistral, sliding", "gemma3, mixed", "llama4, chunked"])
def test_window_models_speculate_exactly(name: str, prompt: int) -> None:
    """Thirty tokens past a window of eight, with a draft that is wrong now and then."""
    model = build(name)
    ids = [(7 * place**2 + 3) % 64 for place in range(prompt)]
    result = speculative_generate(model, disturbed(model, 0.3), ids, k=4, max_new_tokens=30)
    assert result.ids == plain_greedy(model, ids, 30)
    assert any(each.accepted < len(each.proposed) for each in result.iterations)


@pytest.mark.parametrize("keep", [3, 2, 1, 0])
def test_rollback_leaves_exactly_the_length(keep: int) -> None:
    """A cut by nothing, by some, by all; what is left are the keys of a fresh forward."""
    model = HFModel(tiny_llama())
    model.feed([1, 2, 3])
    model.rollback(keep)
    assert model.length == keep
    assert model.ids == [1, 2, 3][:keep]
    assert [layer.get_seq_length() for layer in model.layers] == [keep, keep]
    assert cache_error(model, [1, 2, 3]) < 1e-5
    assert model.feed([7, 8]).allclose(full_logits(model.model, [*[1, 2, 3][:keep], 7, 8])[-2:], atol=1e-4)


@pytest.mark.parametrize("length", [4, 5, -1])
def test_impossible_rollback_is_refused(length: int) -> None:
    """Nothing is cut, and the message says what was asked."""
    model = HFModel(tiny_llama())
    model.feed([1, 2, 3])
    with pytest.raises(RollbackError, match=f"3 positions cannot be cut back to {length}"):
        model.rollback(length)
    assert model.length == 3


def test_wrong_length_of_one_layer_is_found() -> None:
    """After a pass and after a cut, with the layer and both lengths in the message."""
    model = HFModel(tiny_llama())
    model.feed([1, 2, 3, 4])
    model.layers[1].crop(-1)
    with pytest.raises(RollbackError, match=r"layer 1 \(DynamicLayer\) holds 4 positions where 5 are due"):
        model.feed([5])
    model = HFModel(tiny_llama())
    model.feed([1, 2, 3, 4])
    model.layers[0].crop(-1)
    with pytest.raises(RollbackError, match=r"layer 0 \(DynamicLayer\) holds 2 positions where 3 are due"):
        model.rollback(3)


def test_cut_that_does_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that removes fewer positions than asked, without a word, is an error here."""
    model = HFModel(tiny_llama())
    model.feed([1, 2, 3])
    monkeypatch.setattr(model._cache, "crop", lambda _: None)
    with pytest.raises(RollbackError, match="holds 3 positions where 1 are due"):
        model.rollback(1)


def test_last_rows_alone_are_computed() -> None:
    """A prefill makes no matrix of the prompt's length times the vocabulary."""
    model = HFModel(tiny_llama())
    shapes = []
    model.model.lm_head.register_forward_hook(lambda _, inputs, __: shapes.append(tuple(inputs[0].shape)))
    rows = model.feed(list(range(20)), last=2)
    assert rows.shape == (2, 64)
    assert shapes == [(1, 2, 32)]
    assert rows.allclose(full_logits(model.model, range(20))[-2:], atol=1e-4)
    assert model.feed([5], last=3).shape == (1, 64)


def test_fork_is_a_copy_of_its_own() -> None:
    """Weights are shared, keys are not: what one copy does, the other does not feel."""
    model = HFModel(tiny_llama(), vocabulary=60)
    assert model.fork().length == 0
    model.feed([1, 2, 3])
    twin = model.fork()
    assert (twin.ids, twin.vocabulary, twin.model is model.model) == ([1, 2, 3], 60, True)
    for ours, theirs in zip(model.layers, twin.layers, strict=True):
        assert ours.keys.data_ptr() != theirs.keys.data_ptr()
        assert ours.values.data_ptr() != theirs.values.data_ptr()
    twin.rollback(1)
    twin.feed([9, 9, 9])
    with torch.inference_mode():
        twin.layers[0].keys.zero_()
    assert cache_error(model, [1, 2, 3]) < 1e-5
    assert model.feed([4]).allclose(full_logits(model.model, [1, 2, 3, 4])[-1:, :60], atol=1e-4)


@pytest.mark.parametrize("size", [60, 64, None])
def test_padding_is_cut_off(size: int | None) -> None:
    """The likeliest row of all is padding: it is neither proposed nor emitted, and plain decoding agrees."""
    model = tiny_llama()
    model.lm_head.weight[62] = model.lm_head.weight[:60].sum(0) * 3
    ours = HFModel(model, vocabulary=size)
    assert ours.feed([1, 2]).shape == (2, size or 64)
    with pytest.raises(InputError, match=f"token {size or 64} is outside the model's vocabulary"):
        ours.feed([size or 64])
    result = speculative_generate(model, model, [1, 2], k=3, max_new_tokens=20, vocabulary=size)
    assert (max(result.ids) < 60) is (size == 60)


@pytest.mark.parametrize("size", [65, 0, -1])
def test_vocabulary_must_fit_the_output(size: int) -> None:
    """More ids than rows cannot be."""
    with pytest.raises(InputError, match=f"64 rows.*vocabulary of {size}"):
        HFModel(tiny_llama(), vocabulary=size)


def test_unusable_input_is_refused_before_the_pass() -> None:
    """An id outside the vocabulary, no token at all, or more positions than the context."""
    model = HFModel(tiny_llama(context=8))
    for ids in ([-1], [3, 64]):
        with pytest.raises(InputError, match="is outside the model's vocabulary of 64"):
            model.feed(ids)
    with pytest.raises(InputError, match="at least one token"):
        model.feed([])
    with pytest.raises(InputError, match="9 positions are more than the model's context of 8"):
        model.feed(list(range(9)))
    assert model.length == 0


@pytest.mark.parametrize(
    ("dtype", "logits"),
    [(torch.float16, torch.float32), (torch.bfloat16, torch.float32), (torch.float64, torch.float64)],
)
def test_logits_are_float32_or_better(dtype: torch.dtype, logits: torch.dtype) -> None:
    """In inference mode, with the model put into evaluation mode, and equal numbers stay equal: the first wins."""
    model = tiny_llama(dtype=dtype).train()
    model.lm_head.weight[40] = model.lm_head.weight[7]
    ours = HFModel(model)
    rows = ours.feed([1, 2, 3])
    assert rows.dtype == logits
    assert rows.is_inference()
    assert not model.training
    assert rows[0, 40] == rows[0, 7]
    rows = torch.where(torch.arange(64) == 7, 0, rows * 0 - 1)
    rows[:, 40] = 0
    assert rows.argmax(-1).tolist() == [7, 7, 7]
