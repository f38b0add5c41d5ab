"""Rules and proposers that are wrong on purpose: what the tests of the law must find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.rules import Acceptance, accept_probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.protocols import Law, Proposals, RandomSource
    from speclab.decoding.sampling import Sampling


def fresh_draw(p: Law, q: Law) -> Law:  # noqa: ARG001 - in the place of `residual`
    """The law of the correction, taken from the target itself."""
    return p


def accept_keeping_the_draft(
    proposals: Proposals,
    draft_laws: Sequence[Law],
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int = 0,
) -> Acceptance:
    """In the place of `accept_sample`: after a rejection the draft's token is committed all the same."""
    for index, token in enumerate(proposals.tokens):
        stands = float(accept_probability(target_laws[index], draft_laws[index], token))
        if source.choose((stands, 1.0 - stands), position + index) != 0:
            return Acceptance(index, token)
    k = len(proposals.tokens)
    return Acceptance(k, source.choose(target_laws[k], position + k))


class ArgmaxDraft(DraftModel):
    """Proposes its likeliest token, and says that it drew it."""

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:  # noqa: ARG002
        return super().propose(prefix, k, sampling, _Likeliest())


class _Likeliest:
    def choose(self, law: Any, position: int) -> int:  # noqa: ARG002
        return int(law.argmax())
