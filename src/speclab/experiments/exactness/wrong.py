"""Rules and proposers that are wrong on purpose, each by a mistake that was made somewhere.

They have the signatures of the right ones. A check of exactness that passes one of them is no check. Two more
wrong rules are in `speclab.experiments.rules`: the draws of `distribution` are tested against them too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_probability, accept_sample, check_in_order, residual

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Law, Model, RandomSource
    from speclab.decoding.rules import Acceptance, SampleRule
    from speclab.decoding.sampling import Sampling

DOUBTFUL = 0.35
"""A proposal that the draft itself gave less than this is doubtful."""


def by_pieces(stands: Callable[[Law, Law, int], Any], correction: Callable[[Law, Law], Law]) -> SampleRule:
    """The walk of the right rule with other pieces."""

    def rule(
        proposals: Proposals,
        draft_laws: Sequence[Law] | None,
        target_laws: Sequence[Law],
        source: RandomSource,
        position: int,
    ) -> Acceptance:
        return check_in_order(proposals, draft_laws, target_laws, source, position, stands, correction)

    return rule


def through_softmax(p: Law, q: Law) -> Law:
    """The positive part of p - q, through a softmax in the place of a division by its sum."""
    weights = math.e ** (p - q).clip(0)
    return weights / weights.sum(-1)


roles_swapped = by_pieces(lambda p, q, token: accept_probability(q, p, token), lambda p, q: residual(q, p))
softmax_residual = by_pieces(accept_probability, through_softmax)
typical_acceptance = by_pieces(
    lambda p, _, token: float(p[token] >= min(0.3, 0.5 * float(p.max()))), lambda p, _: p
)


def row_off_by_one(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int,
) -> Acceptance:
    """Every proposal is judged by the row after its own."""
    last = len(target_laws) - 1
    rows = [target_laws[min(index + 1, last)] for index in range(last + 1)]
    return accept_sample(proposals, draft_laws, rows, source, position)


def bonus_off_by_one(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int,
) -> Acceptance:
    """The token after a block that stands whole is drawn from the row that decided its last proposal."""
    k = len(proposals.tokens)
    rows = [*(target_laws[index] for index in range(k)), target_laws[max(k - 1, 0)]]
    return accept_sample(proposals, draft_laws, rows, source, position)


def doubtful_dropped(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int,
) -> Acceptance:
    """A doubtful proposal is dropped after it was drawn, so those that are checked were selected."""
    return accept_sample(first(proposals, _sure(proposals)), draft_laws, target_laws, source, position)


def later_tokens_decide(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int,
) -> Acceptance:
    """Nothing of a block is checked where its last proposal is doubtful, so earlier tokens hang on a later one."""
    k = len(proposals.tokens)
    kept = 0 if k > 1 and _doubtful(proposals, k - 1) else k
    return accept_sample(first(proposals, kept), draft_laws, target_laws, source, position)


def first(proposals: Proposals, count: int) -> Proposals:
    """The first of some proposals."""
    laws = None if proposals.laws is None else proposals.laws[:count]
    return Proposals(proposals.tokens[:count], laws)


def _doubtful(proposals: Proposals, index: int) -> bool:
    return proposals.laws is not None and bool(proposals.laws[index][proposals.tokens[index]] < DOUBTFUL)


def _sure(proposals: Proposals) -> int:
    """How many come before the first doubtful one."""
    k = len(proposals.tokens)
    return next((index for index in range(k) if _doubtful(proposals, index)), k)


class StopsAfterDoubt(DraftModel):
    """Right: stops proposing behind a doubtful token, but keeps that token. What is dropped was not looked at."""

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:
        """Guess up to the first doubtful token, that one included."""
        drawn = super().propose(prefix, k, sampling, source)
        return first(drawn, min(_sure(drawn) + 1, len(drawn.tokens)))


class ArgmaxDraft(DraftModel):
    """Wrong: proposes its likeliest token and says that it drew it."""

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:  # noqa: ARG002
        """Nothing is left to chance."""
        return super().propose(prefix, k, sampling, _Likeliest())


class _Likeliest:
    def choose(self, law: Any, position: int) -> int:  # noqa: ARG002
        return int(law.argmax())


class DrawnOtherwise(DraftModel):
    """Wrong: draws under one sampling and reports the laws of another."""

    def __init__(self, model: Model, drawn: Sampling) -> None:
        super().__init__(model)
        self._drawn = drawn

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:
        """Each token from its own law, beside it the law that it would have had under the target's sampling."""
        tokens: list[int] = []
        laws: list[Law] = []
        pending = list(prefix[self.model.length :])
        while len(tokens) < k:
            row = self.model.feed(pending, last=1)[0]
            pending = [source.choose(self.model.law(row, self._drawn), len(prefix) + len(tokens))]
            tokens += pending
            laws.append(self.model.law(row, sampling))
        return Proposals(tuple(tokens), tuple(laws))
