"""A smaller model of the same vocabulary as proposer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.decoding.logits import finite_peak
from speclab.decoding.prefill import prefill
from speclab.decoding.protocols import Proposals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.protocols import Law, Model, RandomSource
    from speclab.decoding.sampling import Sampling


class DraftModel:
    """Draw each proposal from a draft model, one pass a token.

    Args:
        model: The draft with its cache.
        sampling: How laws are made from its logits; the target's where it is not given, which raises acceptance.
            Exact whichever it is. Where it is greedy the likeliest token is chosen and not drawn.

    Its cache lacks its own last proposal when all were kept, and more where it was not asked; it first feeds
    whatever is missing. A draft whose context is shorter than the target's stops proposing when it is full, and
    one whose logits cannot decide a token proposes nothing from there on: both leave the output exact.
    """

    def __init__(self, model: Model, sampling: Sampling | None = None) -> None:
        self.model = model
        self.sampling = sampling

    def prefill(self, prompt: Sequence[int]) -> None:
        """Feed the prompt but its last token, where the context has room for it."""
        if len(prompt) <= self.model.context:
            prefill(self.model, prompt)

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:
        """Guess up to `k` tokens after `prefix`, under the target's sampling or the draft's own."""
        sampling = self.sampling or sampling
        tokens: list[int] = []
        laws: list[Law] = []
        # The last proposal is never fed, so k proposals take len(prefix) + k - 1 positions.
        room = min(k, self.model.context - len(prefix) + 1)
        pending = list(prefix[self.model.length :])
        while len(tokens) < room:
            row = self.model.feed(pending, last=1)[0]
            token, finite = finite_peak(row)
            if not finite:
                break
            if not sampling.greedy:
                laws.append(self.model.law(row, sampling))
                token = source.choose(laws[-1], len(prefix) + len(tokens))
            tokens.append(token)
            pending = [token]
        return Proposals(tuple(tokens), None if sampling.greedy else tuple(laws))

    def rollback(self, length: int) -> None:
        """Keep at most the first `length` tokens of the sequence."""
        self.model.rollback(min(self.model.length, length))
