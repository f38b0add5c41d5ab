"""Acceptance: which proposals stand, and which token the target supplies itself.

The sampling rule is that of Leviathan, Kalman and Matias, *Fast Inference from Transformers via Speculative
Decoding* (2023), section 2.3, and of Chen et al., *Accelerating Large Language Model Decoding with Speculative
Sampling* (2023), algorithm 2. It is made of three pure pieces, and nothing else in the package computes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Law, Proposals, RandomSource, Rows

    SampleRule: TypeAlias = Callable[
        [Proposals, Sequence[Law] | None, Sequence[Law], RandomSource, int], "Acceptance"
    ]
    """A rule of acceptance for sampling, with the arguments of `accept_sample`."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The outcome of one check.

    Attributes:
        accepted: Length of the leading run of proposals that stand.
        token: What the target puts after them: a correction, or the bonus token when all stand.
    """

    accepted: int
    token: int


def accept_probability(p: Law, q: Law, token: Any) -> Any:
    """Probability that a proposal stands: min(1, p/q) at the token.

    Args:
        p: Law of the target, shape [vocabulary].
        q: Law that the proposal was drawn from, shape [vocabulary].
        token: The proposal, or an array of proposals (drawn from q, so q is positive there).

    Returns:
        A scalar or an array like `token`, between 0 and 1.
    """
    return p[token].clip(max=q[token]) / q[token]  # p/q itself would overflow where q is tiny


def residual(p: Law, q: Law) -> Law:
    """Law of the correction after a rejection: the positive part of p - q, normalised by its sum.

    Where p and q agree (up to rounding) there is nothing left to normalise; a rejection is then itself an
    artefact of rounding, and p is the right law. NaN in the total takes the same way out.
    """
    excess = (p - q).clip(0)
    total = excess.sum(-1)
    return excess / total if total > 0 else p


def bonus(p: Law) -> Law:
    """Law of the token after a block that stands whole: the target's own."""
    return p


def one_hot(p: Law, token: int) -> Law:
    """The law of a token that was chosen and not drawn, shaped like `p`."""
    law = p * 0
    law[token] = 1
    return law


def accept_greedy(proposals: Proposals, target_logits: Rows) -> Acceptance:
    """Keep proposals while each equals the target's likeliest token; ties go to the lowest id.

    Args:
        proposals: k tokens.
        target_logits: The target's rows, shape [k + 1, vocabulary]; row i decides proposal i.
    """
    best: list[int] = target_logits.argmax(-1).tolist()
    accepted = 0
    for token in proposals.tokens:
        if token != best[accepted]:
            break
        accepted += 1
    return Acceptance(accepted, best[accepted])


def accept_sample(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int = 0,
) -> Acceptance:
    """Keep each proposal with probability min(1, p/q); after the first rejection draw from the residual.

    The committed tokens then follow the target's law exactly, whatever the draft's laws are, as long as they
    are the ones that the proposals were really drawn from.

    Args:
        proposals: k tokens.
        draft_laws: The k laws that they were drawn from; None where they were chosen (one-hot).
        target_laws: The target's k + 1 laws; read only as far as they are needed.
        source: Where every random decision is made.
        position: Index in the sequence of the first token to decide.
    """
    return check_in_order(proposals, draft_laws, target_laws, source, position, accept_probability, residual)


def check_in_order(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int,
    stands: Callable[[Law, Law, int], Any],
    correction: Callable[[Law, Law], Law],
) -> Acceptance:
    """Decide one proposal after another up to the first that is rejected, and put a token after those that stand.

    Args:
        proposals: As in `accept_sample`.
        draft_laws: As there.
        target_laws: As there.
        source: As there.
        position: As there.
        stands: (p, q, token) -> probability that the proposal stands.
        correction: (p, q) -> law of the token in the place of a rejected one.
    """
    for index, token in enumerate(proposals.tokens):
        p = target_laws[index]
        q = one_hot(p, token) if draft_laws is None else draft_laws[index]
        chance = float(stands(p, q, token))
        if source.choose((chance, 1.0 - chance), position + index) != 0:
            return Acceptance(index, source.choose(correction(p, q), position + index))
    k = len(proposals.tokens)
    return Acceptance(k, source.choose(bonus(target_laws[k]), position + k))


def accept_own_draw(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,  # noqa: ARG001 - whatever they were drawn from
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int = 0,
) -> Acceptance:
    """Draw every token from the target's own law, and keep a proposal where it is the token that was drawn.

    Exact for any proposals, since none has a part in what is committed. A drawn proposal stands with probability
    sum(p q) only, which is never above the sum of min(p, q) by which `accept_sample` keeps it. For a proposal
    that was chosen the two are equal: p at that token. Then exactly one decision is made for each position, the
    one that plain decoding makes there; with a source that ties its numbers to positions the output is plain's,
    token for token.

    Arguments as in `accept_sample`.
    """
    for index, token in enumerate(proposals.tokens):
        own = source.choose(target_laws[index], position + index)
        if own != token:
            return Acceptance(index, own)
    k = len(proposals.tokens)
    return Acceptance(k, source.choose(bonus(target_laws[k]), position + k))
