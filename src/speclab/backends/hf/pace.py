"""How fast a device multiplies in one dtype against another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import linear

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from speclab.backends.hf.model import HFModel

MATRICES = 4
"""Enough of them that a processor's cache does not hold what a pass reads from memory."""


@torch.inference_mode()
def float32_ratio(model: HFModel, rows: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """How many times as long a product with the model's largest matrices takes in float32 as in its own dtype.

    Args:
        model: Whose matrices are taken, copied for float32; those at its input and output are left out.
        rows: Tokens that a pass feeds.
        clock: Seconds.
    """
    own = largest_matrices(model)
    if own[0].dtype == torch.float32:
        return 1.0
    return _seconds([each.float() for each in own], rows, clock) / _seconds(own, rows, clock)


def largest_matrices(model: HFModel) -> list[Tensor]:
    """Up to `MATRICES` weights of the one shape that holds the most numbers, but no matrix of tokens."""
    ends = model.model.get_input_embeddings(), model.model.get_output_embeddings()
    tokens = {id(each.weight) for each in ends}
    found = [each for each in model.model.parameters() if each.dim() == 2 and id(each) not in tokens]
    largest = max(found, key=torch.numel)
    return [each for each in found if each.shape == largest.shape][:MATRICES]


def _seconds(matrices: Sequence[Tensor], rows: int, clock: Callable[[], float]) -> float:
    fed = torch.ones(rows, matrices[0].shape[1], dtype=matrices[0].dtype, device=matrices[0].device)

    def once() -> float:
        start = clock()
        for each in matrices:
            out = linear(fed, each)
        float(out[0, 0])  # waits for a device that works on its own
        return clock() - start

    return sorted(once() for _ in range(4))[1]
