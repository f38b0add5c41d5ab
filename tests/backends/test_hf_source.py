"""Random decisions from torch's generator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from speclab.backends.hf.source import TorchSource

if TYPE_CHECKING:
    from collections.abc import Callable

LAWS: dict[str, Callable[[list[float]], Any]] = {
    "tuple": tuple,
    "float32": lambda values: torch.tensor(values, dtype=torch.float32),
    "float64": lambda values: torch.tensor(values, dtype=torch.float64),
}


class At(TorchSource):
    """A source whose generator always says the same."""

    def __init__(self, u: float) -> None:
        super().__init__(0)
        self.u = u

    def _uniform(self, position: int) -> float:  # noqa: ARG002
        return self.u


@pytest.mark.parametrize("u", [0.0, 5e-324, 0.3, 0.5, 1 - 2**-24, 1 - 2**-53])
@pytest.mark.parametrize("kind", LAWS)
def test_probability_zero_never_comes_out(kind: str, u: float) -> None:
    """At both ends of the generator's range, and wherever the zeros stand."""
    law = LAWS[kind]
    assert At(u).choose(law([0.0, 0.0, 0.5, 0.0, 0.5, 0.0]), 0) == (4 if u >= 0.5 else 2)
    assert At(u).choose(law([1.0, 0.0]), 0) == 0
    assert At(u).choose(law([0.0, 1.0]), 0) == 1
    assert At(u).choose(law([0.0, 0.1, 0.0]), 0) == 1  # a total under 1 too


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("bad", [[0.0, 0.0], [math.nan, 0.5], [0.5, math.inf]], ids=str)
def test_what_is_no_law_is_refused(bad: list[float], kind: str) -> None:
    """With the position, and no token in its place."""
    with pytest.raises(ValueError, match="law at position 9 holds NaN or an infinity, or nothing above zero"):
        TorchSource(0).choose(LAWS[kind](bad), 9)


def test_seed_decides() -> None:
    """The same seed repeats, another does not, and torch's own generator is left alone."""
    law = torch.full((1000,), 1e-3)
    before = torch.get_rng_state()
    runs = {}
    for name, seed in (("first", 5), ("again", 5), ("other", 6)):
        source = TorchSource(seed)
        runs[name] = [source.choose(law, position) for position in range(50)]
    assert runs["first"] == runs["again"] != runs["other"]
    assert torch.get_rng_state().equal(before)


def test_long_tail_is_not_lost() -> None:
    """100,000 tokens, half of them a thousandth as likely: cumulated in float64, each has its place."""
    weights = torch.ones(100_000)
    weights[50_000:] = 1e-3
    law = weights / weights.sum()
    bounds = np.cumsum(law.numpy().astype(np.float64))
    for u in [*np.linspace(0.0, 0.99, 20), *np.linspace(0.999, 0.999999, 20)]:
        due = int(np.searchsorted(bounds, u * bounds[-1], side="right"))
        assert At(float(u)).choose(law, 0) == due
    assert At(0.9989).choose(law, 0) < 50_000 <= At(0.9991).choose(law, 0)  # the tail holds .000999


def test_tuple_and_tensor_decide_alike() -> None:
    """One rule, two ways to hold a law."""
    values = [0.1, 0.0, 0.2, 0.05, 0.65]
    for u in np.linspace(0, 0.9999, 101):
        outcomes = {At(float(u)).choose(make(values), 0) for name, make in LAWS.items() if name != "float32"}
        assert len(outcomes) == 1
