"""The right rule of acceptance and two tempting wrong ones, each with the law that it really gives.

A wrong rule is what shows that a test can see: one that passes the right rule and rejects none of these says
nothing. `speclab distribution` draws from all three, and the tests of the loop put the wrong ones in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from speclab.decoding.rules import Acceptance, accept_probability, accept_sample, bonus, check_in_order, residual

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Law, Proposals, RandomSource
    from speclab.decoding.rules import SampleRule
    from speclab.records.rows import Rule


@dataclass(frozen=True, slots=True)
class Pieces:
    """A rule, whole and in its pieces.

    Attributes:
        sample: The rule as the loop calls it.
        stands: (p, q, tokens) -> probability that each proposal stands.
        correction: (p, q) -> law of the token that replaces a rejected proposal.
        law: (p, q) -> the exact law of the first token, which is p for the right rule alone.
    """

    sample: SampleRule
    stands: Callable[[Law, Law, Any], Any]
    correction: Callable[[Law, Law], Law]
    law: Callable[[Law, Law], Law]


def fresh_draw(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int = 0,
) -> Acceptance:
    """Wrong: after a rejection draw from p itself, which counts twice what p and q share."""
    return check_in_order(proposals, draft_laws, target_laws, source, position, accept_probability, lambda p, _: p)


def draft_kept(
    proposals: Proposals,
    draft_laws: Sequence[Law] | None,  # noqa: ARG001
    target_laws: Sequence[Law],
    source: RandomSource,
    position: int = 0,
) -> Acceptance:
    """Wrong: keep every proposal, so that the output follows the draft."""
    for index in range(len(proposals.tokens)):
        source.choose((1.0, 0.0), position + index)
    k = len(proposals.tokens)
    return Acceptance(k, source.choose(bonus(target_laws[k]), position + k))


def _fresh_law(p: Law, q: Law) -> Law:
    # min(p, q) stands; what was rejected, 1 - sum(min(p, q)), is spread as p.
    shared = p - (p - q).clip(0)
    return shared + (1 - shared.sum(-1)) * p


RULES: dict[Rule, Pieces] = {
    "ratio": Pieces(accept_sample, accept_probability, residual, lambda p, _: p),
    "fresh_draw": Pieces(fresh_draw, accept_probability, lambda p, _: p, _fresh_law),
    "draft_kept": Pieces(draft_kept, lambda p, _, tokens: p[tokens] * 0 + 1, lambda p, _: p, lambda _, q: q),
}
"""The right rule first; the order is that of the rows."""
