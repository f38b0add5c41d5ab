"""The cache of a transformers model: exact cuts, and copies."""

from __future__ import annotations

import pytest
import torch

from caches import cache_error
from speclab.backends.hf.model import HFModel
from speclab.decoding.protocols import RollbackError
from tiny import full_logits, tiny_llama


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
