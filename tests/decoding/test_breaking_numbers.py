"""Numbers at which a rule or an inversion could break: equal laws, tiny ratios, the ends of [0, 1)."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from forced import EDGES, INVERSIONS, ForcedNumpy, ForcedTorch
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_probability, accept_sample, residual

if TYPE_CHECKING:
    from collections.abc import Callable

LAWS = [
    [0.0, 0.0, 0.5, 0.0, 0.5, 0.0],
    [1.0, 0.0],
    [0.0, 1.0],
    [0.0, 1.0 - 2**-24, 2**-24, 0.0],
    [0.0, 1e-40, 1.0, 1e-40, 0.0],
    [0.0, 0.1, 0.0, 0.2],  # rounding, made visible: less than 1
    [0.0, *[1 / 3] * 3, 0.0],
    [0.0, 1e-30, 0.0],
]
KINDS: dict[str, tuple[Callable[..., Any], Any, Callable[[Any], Any]]] = {
    "numpy, float64": (lambda law: np.array(law, np.float64), np.float64, ForcedNumpy),
    "torch, float64": (lambda law: torch.tensor(law, dtype=torch.float64), np.float64, ForcedTorch),
    "torch, float32": (lambda law: torch.tensor(law, dtype=torch.float32), np.float32, ForcedTorch),
}
"""By name: how a law is held, the type whose spacing counts, and the source that decides on it."""


@pytest.mark.parametrize("u", EDGES)
@pytest.mark.parametrize("name", INVERSIONS)
def test_an_index_of_probability_zero_never_comes_out(name: str, u: float) -> None:
    """Whatever inverts the law; at 0 the first of the support is found."""
    source, hold = INVERSIONS[name]
    for weights in LAWS:
        found = source([u]).choose(hold(weights), 0)
        assert weights[found] > 0, weights
        assert u > 0 or found == next(index for index, weight in enumerate(weights) if weight > 0)


@pytest.mark.parametrize("name", [name for name in INVERSIONS if name != "many draws"])
@pytest.mark.parametrize("bad", [[0.0, 0.0], [math.nan, 0.5], [0.5, 0.0, math.nan], [0.5, math.inf]], ids=str)
def test_what_is_no_law_is_refused_by_every_source(bad: list[float], name: str) -> None:
    """With the position, and no token in its place."""
    source, hold = INVERSIONS[name]
    with pytest.raises(ValueError, match="law at position 9 holds NaN or an infinity, or nothing above zero"):
        source([0.5]).choose(hold(bad), 9)


@pytest.mark.parametrize("u", EDGES)
@pytest.mark.parametrize("kind", KINDS)
def test_ratio_one_always_stands_and_ratio_zero_never(kind: str, u: float) -> None:
    """At every u; what replaces the proposal is a token that the target can give."""
    hold, _, source = KINDS[kind]
    p, q = hold([0.0, 0.25, 0.75, 0.0]), hold([0.25, 0.25, 0.25, 0.25])
    for token, stands in ((0, False), (1, True), (2, True), (3, False)):
        verdict = accept_sample(Proposals((token,), (q,)), (q,), (p, p), source([u, u]))
        assert bool(verdict.accepted) is stands
        assert float(p[verdict.token]) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_laws_that_differ_by_one_unit_in_the_last_place(kind: str) -> None:
    """Nothing is divided by nothing, also where a rejection is forced that has almost no probability."""
    hold, number, source = KINDS[kind]
    p = np.array([0.0, 0.125, 0.25, 0.625], number)
    for signs in product((-1, 0, 1), repeat=3):
        toward = np.array([0.0, *np.where(np.array(signs) > 0, 2.0, -2.0)], number)
        q = np.where(np.array([0, *signs]) == 0, p, np.nextafter(p, toward)).astype(number)
        ours, theirs = hold(p), hold(q)
        correction = residual(ours, theirs)
        assert float(correction.sum()) == pytest.approx(1)
        assert float(correction[0]) == 0
        for token in (1, 2, 3):
            chance = float(accept_probability(ours, theirs, token))
            assert 1 - 4 * float(np.finfo(number).eps) < chance <= 1
            for u in EDGES:
                verdict = accept_sample(
                    Proposals((token,), (theirs,)), (theirs,), (ours, ours), source([1 - 2**-53, u])
                )
                assert verdict.accepted == (chance == 1)
                assert p[verdict.token] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_ratio_over_a_tiny_probability_is_one(kind: str) -> None:
    """p / q would overflow; min(1, p / q) is 1, without a warning, for one token and for many."""
    hold, number, _ = KINDS[kind]
    tiny = float(np.finfo(number).smallest_subnormal)
    p, q = hold([1.0, 0.0, tiny]), hold([tiny, 1.0, tiny])
    assert [float(accept_probability(p, q, token)) for token in range(3)] == [1, 0, 1]
    assert accept_probability(p, q, [0, 1, 2]).tolist() == [1, 0, 1]
