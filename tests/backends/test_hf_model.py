"""A transformers model behind the protocol of the loop: what it takes, and the logits it gives."""

from __future__ import annotations

import pytest
import torch

from speclab.backends.generate import speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.errors import InputError
from tiny import full_logits, tiny_llama


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
