"""Laws from logits in torch, as the logits warpers of transformers make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from speclab.decoding.sampling import Sampling


@torch.inference_mode()
def law(row: Tensor, sampling: Sampling) -> Tensor:
    """Temperature, top-k, top-p and min-p applied in this order.

    Each step decides on the same numbers as `TemperatureLogitsWarper`, `TopKLogitsWarper`, `TopPLogitsWarper` and
    `MinPLogitsWarper`, ties included. After top-k only the tokens that are left are sorted and normalised, so a
    large vocabulary costs no more than finding them.

    Args:
        row: Logits, shape [vocabulary], with a finite largest entry.
        sampling: Not greedy.

    Returns:
        Probabilities, shape [vocabulary], in float64 where the logits are and else in float32, summing to 1 up
        to rounding; zero for every token that was cut.
    """
    logits = row if row.dtype == torch.float64 else row.float()
    scores = _tempered(logits, sampling.temperature)
    if 0 < sampling.top_k < scores.numel():
        # In ascending order of ids, as a stable sort needs them below.
        kept = (scores >= scores.topk(sampling.top_k).values[-1]).nonzero()[:, 0]
        return torch.zeros_like(scores).index_put_((kept,), _cut_and_normalise(scores[kept], sampling))
    return _cut_and_normalise(scores, sampling)


def _tempered(logits: Tensor, temperature: float) -> Tensor:
    """Divided by the temperature; where that overflows, the distances to the largest are divided instead."""
    scores = logits / temperature
    if scores.max().isfinite():
        return scores
    return (logits - logits.max()) / temperature


def _cut_and_normalise(scores: Tensor, sampling: Sampling) -> Tensor:
    """Top-p and min-p over the tokens that are left, then the law of what remains."""
    if sampling.top_p < 1:
        ordered, order = scores.sort(stable=True)  # ascending: the tail is what goes
        tail = ordered.softmax(-1).cumsum(-1) <= 1 - sampling.top_p
        tail[-1] = False
        scores = scores.index_fill(0, order[tail], -torch.inf)
    if sampling.min_p > 0:
        likelihood = scores.softmax(-1)
        scores = scores.masked_fill(likelihood < sampling.min_p * likelihood.max(), -torch.inf)
    return scores.softmax(-1)
