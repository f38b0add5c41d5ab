"""The draft model as proposer: what it feeds, what it holds, what it hands over."""

from __future__ import annotations

import pytest
import torch

from scripted import Never, Scripted
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import TorchSource
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling
from tables import counting
from tiny import full_logits, tiny_llama


def test_feeds_what_is_missing_and_keeps_back_its_last() -> None:
    """After k proposals the cache holds the prefix and k - 1 of them; the next round catches up."""
    model = counting()
    draft = DraftModel(model)
    draft.prefill([1, 2, 3])
    assert model.ids == [1, 2]
    assert draft.propose([1, 2, 3], 3, GREEDY, Never()).tokens == (4, 5, 6)
    assert model.ids == [1, 2, 3, 4, 5]
    draft.rollback(6)  # all kept, one token added: 1 … 7 with 7 pending
    assert model.ids == [1, 2, 3, 4, 5]
    assert draft.propose([1, 2, 3, 4, 5, 6, 7], 2, GREEDY, Never()).tokens == (8, 9)
    draft.rollback(7)
    assert model.ids == [1, 2, 3, 4, 5, 6, 7]


def test_hands_over_the_laws_it_drew_from() -> None:
    """Each proposal with the law under the sampling, top-k already applied; greedy ones are one-hot."""
    sampling = Sampling(temperature=0.7, top_k=5)
    model = tiny_llama()
    proposals = DraftModel(HFModel(model)).propose([1, 2, 3], 3, sampling, TorchSource(0))
    assert proposals.laws is not None
    ids = [1, 2, 3]
    for token, law in zip(proposals.tokens, proposals.laws, strict=True):
        scores = full_logits(model, ids)[-1] / 0.7
        due = scores.masked_fill(scores < scores.sort().values[-5], -torch.inf).softmax(-1)
        assert torch.allclose(law, due, atol=1e-5)
        assert (law > 0).sum() == 5
        assert law[token] > 0
        ids.append(token)
    assert DraftModel(counting()).propose([1], 2, GREEDY, Never()).laws is None


def test_names_the_positions_it_decides() -> None:
    """The first proposal after three tokens decides position 3."""
    asked = Scripted([7, 8, 9])
    proposals = DraftModel(counting()).propose([1, 2, 3], 3, Sampling(temperature=1.0), asked)
    assert proposals.tokens == (7, 8, 9)
    assert asked.positions == [3, 4, 5]


@pytest.mark.parametrize(("held", "due"), [(13, 3), (14, 3), (15, 2), (16, 1), (17, 0), (30, 0)])
def test_stops_at_the_end_of_its_context(held: int, due: int) -> None:
    """No position past the sixteenth is fed; the last proposal needs none."""
    model = counting(context=16)
    prefix = list(range(held))
    assert len(DraftModel(model).propose(prefix, 3, GREEDY, Never()).tokens) == due
    assert model.length <= 16
