"""Laws in torch against the logits warpers of transformers, and against numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import MinPLogitsWarper, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from speclab.backends.hf.sampling import law
from speclab.backends.table import law as numpy_law
from speclab.decoding.sampling import Sampling

SAMPLINGS = [
    Sampling(temperature, top_k, top_p, min_p)
    for temperature in (0.3, 1.0, 1.7)
    for top_k in (0, 1, 2, 20, 5000)
    for top_p in (1.0, 0.9, 0.5, 1e-6)
    for min_p in (0.0, 0.05, 1.0)
]

TIED = ("ties", "all equal", "bfloat16")


def warped(row: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The law that transformers would draw from."""
    steps: list[Any] = [TemperatureLogitsWarper(sampling.temperature)]
    if sampling.top_k:
        steps.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p < 1:
        steps.append(TopPLogitsWarper(sampling.top_p))
    if sampling.min_p:
        steps.append(MinPLogitsWarper(sampling.min_p))
    scores = row[None]
    for step in steps:
        scores = step(None, scores)
    return scores[0].softmax(-1)


def rows(vocabulary: int) -> dict[str, torch.Tensor]:
    """Logits of several kinds: smooth, with many ties, with a sharp peak, with forbidden tokens."""
    generator = torch.Generator().manual_seed(vocabulary)
    smooth = torch.randn(vocabulary, generator=generator) * 3
    forbidden = smooth.clone()
    forbidden[::3] = -torch.inf
    return {
        "smooth": smooth,
        "ties": (smooth * 2).round() / 2,
        "all equal": torch.zeros(vocabulary),
        "bfloat16": (smooth * 4).bfloat16().float(),
        "peaked": smooth * 10,
        "forbidden": forbidden,
        "double": smooth.double(),
    }


@pytest.mark.parametrize("vocabulary", [2, 7, 1000])
@pytest.mark.parametrize("kind", rows(2))
def test_as_transformers_decides(kind: str, vocabulary: int) -> None:
    """The same tokens are kept, with the same probabilities.

    Top-p cuts among equals by the order of a sort that is not stable, so there only their number is the same.
    """
    row = rows(vocabulary)[kind]
    for sampling in SAMPLINGS:
        ours, theirs = law(row, sampling), warped(row, sampling)
        assert ours.dtype == (torch.float64 if kind == "double" else torch.float32)
        if sampling.top_p < 1 and kind in TIED:
            ours, theirs = ours.sort().values, theirs.sort().values
        assert (ours > 0).tolist() == (theirs > 0).tolist(), sampling
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-7), sampling
        assert float(ours.double().sum()) == pytest.approx(1, abs=1e-6)


def test_as_transformers_decides_on_a_real_size() -> None:
    """A vocabulary of 151,665, top-k before top-p."""
    row = torch.randn(151_665, generator=torch.Generator().manual_seed(0)) * 3
    for sampling in (Sampling(0.7, 50, 0.9), Sampling(1.0, 50, 0.95, 0.02), Sampling(1.0)):
        ours, theirs = law(row, sampling), warped(row, sampling)
        assert (ours > 0).tolist() == (theirs > 0).tolist()
        assert torch.allclose(ours, theirs, rtol=1e-4, atol=1e-9)


def test_ties_with_the_k_th_are_kept() -> None:
    """Four tokens share the second place, so top-k of two keeps five."""
    ours = law(torch.tensor([1.0, 3.0, 1.0, 1.0, 0.0, 1.0]), Sampling(1.0, top_k=2))
    assert (ours > 0).tolist() == [True, True, True, True, False, True]


def test_order_of_the_steps() -> None:
    """Top-p counts the mass of what top-k left: .6 of the three is .5 / .8, so one token is enough."""
    row = torch.tensor([0.5, 0.2, 0.1, 0.1, 0.1]).log()
    assert law(row, Sampling(1.0, top_k=2, top_p=0.6)).tolist() == pytest.approx([1, 0, 0, 0, 0])
    assert (law(row, Sampling(1.0, top_p=0.6)) > 0).sum() == 2


@pytest.mark.parametrize("kind", ["smooth", "ties", "forbidden", "double"])
def test_numpy_and_torch_give_one_law(kind: str) -> None:
    """In float64, to the last few digits, for every combination."""
    row = rows(60)[kind].double()
    for sampling in SAMPLINGS:
        assert np.allclose(law(row, sampling).numpy(), numpy_law(row.numpy(), sampling), rtol=1e-9, atol=1e-15)


def test_row_is_left_as_it_was() -> None:
    """A law is made anew; the logits may be needed again."""
    row = rows(60)["smooth"]
    before = row.clone()
    law(row, Sampling(0.5, 10, 0.9, 0.1))
    assert row.equal(before)


def test_top_p_keeps_the_likeliest_however_small_it_is() -> None:
    """The likeliest token stays even where it alone has more mass than was asked for."""
    row = torch.tensor([0.0, 3.0, 1.0])
    assert law(row, Sampling(1.0, top_p=1e-9)).tolist() == [0.0, 1.0, 0.0]
