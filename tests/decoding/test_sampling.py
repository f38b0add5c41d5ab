"""The parameters of a sampling, and where greedy begins."""

from __future__ import annotations

import math

import pytest
import torch

from scripted import Never
from speclab.backends.hf.sampling import law as torch_law
from speclab.backends.table import NumpySource
from speclab.backends.table import law as numpy_law
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY_BELOW, Sampling
from speclab.errors import InputError
from tables import spoiled


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1.0},
        {"temperature": math.nan},
        {"temperature": math.inf},
        {"top_k": -1},
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"top_p": math.nan},
        {"min_p": -0.1},
        {"min_p": 1.1},
        {"min_p": math.nan},
    ],
    ids=str,
)
def test_unusable_values_are_refused(wrong: dict[str, float]) -> None:
    """The message names the parameter and its range."""
    with pytest.raises(InputError, match=f"{next(iter(wrong))} is .*; it must"):
        Sampling(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("temperature", [0.0, 1e-8, 1e-6, GREEDY_BELOW / 2])
def test_tiny_temperatures_are_greedy(temperature: float) -> None:
    """No source is asked, and a likely but not likeliest token of the draft does not stand."""
    rows = {1: [0.0, 0.0, math.log(2), math.log(3)]}  # the draft and the target like 2, the target 3 better
    iterations = speculative(
        spoiled(4, rows),
        DraftModel(spoiled(4, {1: [0.0, 0.0, 1.0, 0.0]})),
        [1],
        k=1,
        sampling=Sampling(temperature=temperature),
        source=Never(),
        max_new_tokens=2,
    )
    (first, *_) = collect(iterations).iterations
    assert (first.proposed, first.accepted, first.committed) == ((2,), 0, (3,))


@pytest.mark.parametrize("temperature", [GREEDY_BELOW, 1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("scale", [1.0, 7e4, 3e38])
def test_laws_are_finite_at_every_temperature(temperature: float, scale: float) -> None:
    """Probabilities that add up to 1, in numpy and in torch, also where dividing overflows."""
    sampling = Sampling(temperature=temperature, top_k=3, top_p=0.99, min_p=1e-6)
    assert not sampling.greedy
    row = torch.tensor([0.5, -1.0, 1.0, 0.25, -math.inf]) * scale
    for law in (torch_law(row, sampling), numpy_law(row.double().numpy(), sampling)):
        assert all(0 <= weight <= 1 for weight in law.tolist())
        assert sum(law.tolist()) == pytest.approx(1, abs=1e-6)
        assert law.argmax() == 2
        assert law[1] == law[4] == 0


def test_temperature_of_a_hundred_is_nearly_flat() -> None:
    """And one of a hundredth nearly certain."""
    row = torch.tensor([1.0, 2.0, 3.0])
    assert torch_law(row, Sampling(temperature=100.0)).tolist() == pytest.approx([1 / 3] * 3, abs=0.01)
    assert torch_law(row, Sampling(temperature=0.01)).tolist() == pytest.approx([0, 0, 1], abs=1e-6)


def test_numpy_source_repeats_with_its_seed() -> None:
    """And never lands on probability zero."""
    first, second = NumpySource(3), NumpySource(3)
    laws = [(0.0, 0.5, 0.0, 0.5, 0.0)] * 200
    drawn = [first.choose(law, 0) for law in laws]
    assert drawn == [second.choose(law, 0) for law in laws]
    assert set(drawn) == {1, 3}
