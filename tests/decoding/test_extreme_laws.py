"""Laws and rows at which a backend could break: huge logits, the smallest and the largest vocabularies."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from forced import ForcedNumpy, ForcedTorch
from scripted import Never
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.sampling import law as torch_law
from speclab.backends.hf.source import TorchSource
from speclab.backends.table import NumpySource, TableModel
from speclab.backends.table import law as numpy_law
from speclab.decoding.generation import collect
from speclab.decoding.logits import finite_peak
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_greedy, accept_sample
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.experiments.draws import draw, invert
from speclab.experiments.rules import RULES
from speclab.theory.goodness import total_variation
from tables import counting
from tiny import disturbed, plain_greedy, tiny_llama

VOCABULARY = 151_936


@pytest.mark.parametrize("temperature", [1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("largest", [1.0, 100.0, 1e4, 1e30, 3e38])
def test_torch_and_numpy_give_one_law_on_extreme_rows(largest: float, temperature: float) -> None:
    """In float32 too: apart by no more than rounding the logits after division, once, can make."""
    row = torch.randn(500, generator=torch.Generator().manual_seed(3))
    row *= largest / row.abs().max()
    row[::7] = -math.inf
    row[3], row[4] = largest, -largest
    sampling = Sampling(temperature=temperature)
    exact = numpy_law(row.double().numpy(), sampling)
    for ours, bits in ((torch_law(row, sampling), 24), (torch_law(row.double(), sampling), 53)):
        assert bool((ours[::7] == 0).all())
        assert int(ours.argmax()) == 3
        assert float(ours.double().sum()) == pytest.approx(1, abs=1e-6)
        moved = 2.0**-bits * largest / temperature  # of one score; a law moves by twice the largest, at most
        assert total_variation(ours.numpy(), exact) <= min(1.0, 2 * moved) + 2.0 ** (10 - bits)


@pytest.mark.parametrize("temperature", [0.0, 1e-8, 1e-6])
@pytest.mark.parametrize("sharpness", [3.0, 1e28])
def test_temperatures_that_are_greedy(sharpness: float, temperature: float) -> None:
    """In both backends the likeliest token again and again, and no decision is asked for, whatever the logits."""
    model = tiny_llama(sharpness=sharpness)
    table = counting()
    for target, draft, due in (
        (HFModel(model), HFModel(disturbed(model, 0.1)), plain_greedy(model, [1], 12)),
        (TableModel(table.feed(range(40)) * sharpness), counting(step=2), tuple(range(2, 14))),
    ):
        loop = speculative(
            target,
            DraftModel(draft),
            [1],
            k=3,
            sampling=Sampling(temperature=temperature),
            source=Never(),
            max_new_tokens=12,
        )
        assert collect(loop).ids == due


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.0), Sampling(1.0, 1, 0.5, 0.5)], ids=str)
@pytest.mark.parametrize("vocabulary", [1, 2])
def test_smallest_vocabularies(vocabulary: int, sampling: Sampling) -> None:
    """The whole loop over one token, and over two that the draft always takes for each other."""
    logits = np.array([[0.0, 3.0], [3.0, 0.0]])[:vocabulary, :vocabulary]
    loop = speculative(
        TableModel(logits),
        DraftModel(TableModel(-logits)),
        [0],
        k=4,
        sampling=sampling,
        source=NumpySource(0),
        max_new_tokens=20,
    )
    ids = collect(loop).ids
    assert len(ids) == 20
    assert set(ids) == set(range(vocabulary))


def test_ties_and_faults_in_a_row_of_real_size() -> None:
    """The lowest of equals is found, in a pass over one token and over nine; NaN and +inf at any place."""
    rows = torch.randn((9, VOCABULARY), generator=torch.Generator().manual_seed(0))
    for places in ((7, VOCABULARY - 1), (75_000, 75_001), (0, 99_999)):
        rows[:, list(places)] = rows.max() + 1
        for kind in (rows, rows.numpy()):
            assert accept_greedy(Proposals((places[0],) * 8), kind).accepted == 8
            assert accept_greedy(Proposals(), kind[:1]).token == places[0]
    for bad, place in product((math.nan, math.inf), (0, 5, 75_968, VOCABULARY - 1)):
        row = torch.zeros(VOCABULARY)
        row[place] = bad
        assert finite_peak(row) == finite_peak(row.numpy()) == (place, False)


def test_float32_laws_that_numpy_would_not_draw_from() -> None:
    """Two hundred of size 5,000: their sums are off in float64, and everything here takes them all the same."""
    generator = torch.Generator().manual_seed(0)
    refused = 0
    for index in range(200):
        law = (torch.randn(5000, generator=generator) * 4).softmax(-1)
        other = (torch.randn(5000, generator=generator) * 4).softmax(-1)
        try:
            np.random.default_rng(0).choice(5000, p=law.double().numpy())
        except ValueError:
            refused += 1
        u = index / 200
        p, q = law.double().numpy(), other.double().numpy()
        assert 0 < total_variation(law.numpy(), other.numpy()) < 1
        assert (
            ForcedTorch([u]).choose(law, 0)
            == ForcedNumpy([u]).choose(law.numpy(), 0)
            == invert(p, np.array([u]))[0]
        )
        assert p[draw(RULES["ratio"], p, q, np.full((1, 3), u)).first[0]] > 0
    assert refused > 0


def test_share_of_a_long_tail() -> None:
    """100,000 tokens, half of them a thousandth as likely: a million draws put the tail's share within 5 sigma."""
    weights = torch.ones(100_000)
    weights[50_000:] = 1e-3
    law = weights / weights.sum()
    uniforms = np.random.default_rng(4).random(1_000_000)
    tokens = invert(law.double().numpy(), uniforms)
    share = 1e-3 / 1.001
    assert abs((tokens >= 50_000).mean() - share) < 5 * math.sqrt(share * (1 - share) / len(uniforms))
    few = uniforms[:: len(uniforms) // 40]
    assert [ForcedTorch([u]).choose(law, 0) for u in few] == tokens[:: len(uniforms) // 40].tolist()
    assert [ForcedNumpy([u]).choose(law.numpy(), 0) for u in few] == tokens[:: len(uniforms) // 40].tolist()


@pytest.mark.parametrize("make", [NumpySource, TorchSource])
def test_rule_on_a_vocabulary_of_real_size(make: Any) -> None:
    """151,936 tokens, under top-k and without: what the target puts is a token that it can give."""
    generator = torch.Generator().manual_seed(5)
    row = torch.randn(VOCABULARY, generator=generator) * 3
    other = row + torch.randn(VOCABULARY, generator=generator)
    for sampling in (Sampling(1.0), Sampling(0.7, 50, 0.9)):
        p, q = (
            torch_law(each, sampling) if make is TorchSource else numpy_law(each.numpy(), sampling)
            for each in (row, other)
        )
        source = make(6)
        verdicts = [
            accept_sample(Proposals((token,), (q,)), (q,), (p, p), source)
            for token in (source.choose(q, 0) for _ in range(20))
        ]
        assert all(float(p[verdict.token]) > 0 for verdict in verdicts)
        assert {verdict.accepted for verdict in verdicts} == {0, 1}
