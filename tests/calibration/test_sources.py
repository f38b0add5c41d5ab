"""The sources of random numbers by themselves, where a decision is all that is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from calibrated import SEEDS, check_alarms
from speclab.backends.hf.source import PositionSource, TorchSource
from speclab.backends.table import NumpySource
from speclab.theory.goodness import chi_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from speclab.decoding.protocols import RandomSource

pytestmark = [pytest.mark.calibration, pytest.mark.timeout(1200)]

FEW = (0.4, 0.0, 0.3, 0.2, 0.1)
DRAWS = 200


@pytest.mark.parametrize("kind", [NumpySource, TorchSource])
def test_one_stream_follows_a_law_with_a_long_tail(
    kind: Callable[[int], RandomSource], found: Callable[[str], None]
) -> None:
    """Two thousand tokens, most of them together as likely as one."""
    weights = np.random.default_rng(1).dirichlet(np.full(2000, 0.02))
    law = weights / weights.sum()
    given = torch.from_numpy(law) if kind is TorchSource else law
    p_values = []
    for seed in SEEDS:
        source = kind(seed)
        tokens = [source.choose(given, position) for position in range(DRAWS)]
        p_values.append(chi_square(np.bincount(tokens, minlength=law.size), law).p_value)
    found(check_alarms(np.array(p_values, dtype=np.float64)))


@pytest.mark.parametrize("kind", [NumpySource, TorchSource, PositionSource])
def test_a_decision_tells_nothing_of_the_next(
    kind: Callable[[int], RandomSource], found: Callable[[str], None]
) -> None:
    """Two decisions at one position and one at the next, together: the product of their laws."""
    law = np.array(FEW)
    joint = np.einsum("i,j,k->ijk", law, law, law).ravel()
    found(check_alarms(_triples(kind, joint)))


def _triples(kind: Callable[[int], RandomSource], joint: NDArray[np.float64]) -> NDArray[np.float64]:
    p_values = []
    for seed in SEEDS:
        source = kind(seed)
        outcomes = [
            [source.choose(FEW, place), source.choose(FEW, place), source.choose(FEW, place + 1)]
            for place in range(0, 2 * DRAWS, 2)
        ]
        numbers = np.ravel_multi_index(np.array(outcomes).T, (len(FEW),) * 3)
        p_values.append(chi_square(np.bincount(numbers, minlength=joint.size), joint).p_value)
    return np.array(p_values, dtype=np.float64)
