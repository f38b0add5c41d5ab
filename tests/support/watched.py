"""Speculation on real caches, each compared with a fresh forward after every iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caches import cache_error
from speclab.backends.hf.source import TorchSource
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from speclab.backends.hf.model import HFModel
    from speclab.decoding.generation import Generation
    from speclab.decoding.iterations import Finish, Iteration
    from speclab.decoding.sampling import Sampling


def watched(
    target: HFModel,
    draft: HFModel,
    prompt: Sequence[int],
    *,
    k: int,
    tokens: int,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> tuple[Generation, list[tuple[float, float]]]:
    """A generation, and after each iteration how far the target's and the draft's cache are from fresh ones.

    The lengths are part of it: infinite where the target does not hold all tokens but the last, or the draft more.
    """
    errors: list[tuple[float, float]] = []

    def steps() -> Generator[Iteration, None, Finish]:
        iterations = speculative(
            target,
            DraftModel(draft),
            prompt,
            k=k,
            sampling=sampling,
            source=TorchSource(seed),
            max_new_tokens=tokens,
        )
        sequence = list(prompt)
        while True:
            try:
                step = next(iterations)
            except StopIteration as end:
                finish: Finish = end.value
                return finish
            sequence += step.committed
            due = target.length == step.target_length == len(sequence) - 1 and draft.length <= len(sequence) - 1
            found = (cache_error(target, sequence), cache_error(draft, sequence))
            errors.append(found if due else (float("inf"), float("inf")))
            yield step

    return collect(steps()), errors


def shares(generations: Sequence[Generation]) -> float:
    """Accepted / (accepted + rejections) over all iterations, cut ones too."""
    steps = [step for each in generations for step in each.iterations]
    accepted = sum(step.accepted for step in steps)
    return accepted / (accepted + sum(step.accepted < len(step.proposed) for step in steps))
