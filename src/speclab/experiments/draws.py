"""Many draws of the first token at once, equal to the rule's own one by one.

Each draw takes exactly three uniforms: for the proposal, for whether it stands, and for the token that the target
puts (the correction, or the bonus after a proposal that stands). So the draws are those that the rule itself makes
from a source that inverts laws with the same uniforms, in the same order: `NumpySource` of the same seed is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from speclab.decoding.rules import bonus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from speclab.experiments.rules import Pieces

    Law = NDArray[np.float64]
    Tokens = NDArray[np.int64]

UNIFORMS = 3
"""Uniforms of one draw."""


def invert(law: Law, uniforms: NDArray[np.float64]) -> Tokens:
    """The token for each uniform of [0, 1): the first whose cumulated mass exceeds the uniform's share of it.

    A token of probability zero adds nothing to the mass before it, so it is never the first. No uniform runs over
    the end either: the largest below 1 times the total rounds to less than the total.

    Args:
        law: Shape [vocabulary], float64.
        uniforms: Shape [draws].
    """
    bounds = np.cumsum(law)
    tokens: Tokens = bounds.searchsorted(uniforms * bounds[-1], side="right")
    return tokens


@dataclass(frozen=True, slots=True)
class Draws:
    """Outcomes of many independent draws, each shape [draws].

    Attributes:
        proposals: Tokens drawn from q.
        stands: Whether each was kept.
        tokens: What the target put: the correction where the proposal was rejected; where it stands, the bonus
            token, or the proposal again where no law for a bonus was given.
    """

    proposals: Tokens
    stands: NDArray[np.bool_]
    tokens: Tokens

    @property
    def first(self) -> Tokens:
        """The first token that was committed."""
        return np.where(self.stands, self.proposals, self.tokens)


def draw(rule: Pieces, p: Law, q: Law, uniforms: NDArray[np.float64], *, following: Law | None = None) -> Draws:
    """Draw a proposal from q, apply a rule to it, and repeat for every row of uniforms.

    Args:
        rule: Which proposals stand, and what replaces the others.
        p: Law of the target at the first token, shape [vocabulary], float64.
        q: Law of the draft there.
        uniforms: Shape [draws, 3], in [0, 1).
        following: Law of the target after a proposal that stands; None where the first token alone is asked for.
    """
    propose, accept, put = uniforms.T
    proposals = invert(q, propose)
    stands = accept < rule.stands(p, q, proposals)
    tokens = proposals.copy()
    rejected = ~stands
    if rejected.any():
        tokens[rejected] = invert(rule.correction(p, q), put[rejected])
    if following is not None:
        tokens[stands] = invert(bonus(following), put[stands])
    return Draws(proposals, stands, tokens)
