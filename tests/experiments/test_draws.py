"""Many draws at once against the rule itself, draw for draw; the wrong rules against their laws."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from speclab.backends.table import NumpySource
from speclab.decoding.protocols import Proposals
from speclab.experiments.draws import draw
from speclab.experiments.rules import RULES
from speclab.theory.enumerate import walk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from speclab.decoding.protocols import RandomSource
    from speclab.records.rows import Rule

    Law = NDArray[np.float64]

ALL = tuple(RULES)
JUST_UNDER_ONE = np.nextafter(1.0, 0.0)


class Recorded:
    """Inverts laws with uniforms that were recorded, in their order."""

    def __init__(self, uniforms: NDArray[np.float64]) -> None:
        self._left = list(uniforms)

    def choose(self, law: Law | tuple[float, ...], position: int) -> int:  # noqa: ARG002
        """Go up the law, token by token, until its cumulated mass exceeds the uniform's share of it."""
        uniform = self._left.pop(0)
        bounds = np.cumsum(np.asarray(law, dtype=np.float64))
        return next(token for token, bound in enumerate(bounds) if uniform * bounds[-1] < bound)

    @property
    def left(self) -> int:
        """Uniforms that nobody asked for."""
        return len(self._left)


def laws(name: str) -> tuple[Law, Law, Law]:
    """Laws of target and draft at the first token, and of the target behind it."""
    dice = np.random.default_rng(7)
    p, q, following = dice.dirichlet(np.full(40, 0.3), size=3)
    if name == "holes":  # tokens that one of the two, or neither, can give
        p[[0, 3, 39]] = 0
        q[[0, 5, 17]] = 0
        following[0] = 0
    elif name == "same":
        q = p.copy()
    elif name == "apart":  # no token in common: every proposal is rejected
        p[:20], q[20:] = 0, 0
    elif name == "sure":
        p = np.eye(40)[4]
    elif name == "dyadic":  # bounds that a uniform can hit exactly
        p, q, following = (
            np.array([0, *law, 0]) for law in ((0.5, 0.25, 0.25), (0.25, 0.25, 0.5), (0.25, 0.5, 0.25))
        )
    elif name == "short":  # rounding, made visible: laws that do not quite add up to 1
        return p * 0.9, q * 0.8, following * 0.7
    return p / p.sum(), q / q.sum(), following / following.sum()


def one_by_one(rule: Rule, p: Law, q: Law, following: Law, source: RandomSource) -> tuple[int, bool, int]:
    """Proposal, whether it stands, and the target's token, from the rule as the loop calls it."""
    token = source.choose(q, 0)
    verdict = RULES[rule].sample(Proposals((token,), (q,)), [q], [p, following], source, 0)
    return token, verdict.accepted == 1, verdict.token


@pytest.mark.parametrize("rule", ALL)
@pytest.mark.parametrize("name", ["plain", "holes", "same", "apart", "sure", "dyadic", "short"])
def test_draws_equal_the_rule_draw_for_draw(name: str, rule: Rule) -> None:
    """Replaying the recorded uniforms through the rule itself gives every outcome again, and uses all three."""
    p, q, following = laws(name)
    uniforms = np.random.default_rng(11).random((400, 3))
    # The edges of [0, 1) too: 0 must not find an empty cell, the largest number must not run over the end.
    edges = list(product((0.0, 0.25, 0.5, 0.75, JUST_UNDER_ONE), repeat=3))
    uniforms[: len(edges)] = edges
    many = draw(RULES[rule], p, q, uniforms, following=following)
    for index, recorded in enumerate(uniforms):
        source = Recorded(recorded)
        expected = one_by_one(rule, p, q, following, source)
        assert (many.proposals[index], many.stands[index], many.tokens[index]) == expected
        assert source.left == 0


@pytest.mark.parametrize("rule", ALL)
def test_draws_equal_a_numpy_source_of_the_same_seed(rule: Rule) -> None:
    """A row of uniforms is what three single draws from the same generator are."""
    p, q, following = laws("holes")
    source = NumpySource(5)
    expected = [one_by_one(rule, p, q, following, source) for _ in range(300)]
    many = draw(RULES[rule], p, q, np.random.default_rng(5).random((300, 3)), following=following)
    assert list(zip(many.proposals, many.stands, many.tokens, strict=True)) == expected


def test_the_first_token_is_the_proposal_where_it_stands_and_the_correction_elsewhere() -> None:
    """A bonus token comes second, so it never counts as the first."""
    p, q, following = laws("plain")
    uniforms = np.random.default_rng(3).random((500, 3))
    with_bonus = draw(RULES["ratio"], p, q, uniforms, following=following)
    without = draw(RULES["ratio"], p, q, uniforms)
    assert 0 < with_bonus.stands.sum() < 500
    assert (with_bonus.first == without.first).all()
    assert (with_bonus.first[with_bonus.stands] == with_bonus.proposals[with_bonus.stands]).all()
    assert (with_bonus.first[~with_bonus.stands] == with_bonus.tokens[~with_bonus.stands]).all()


@pytest.mark.parametrize("rule", ALL)
@pytest.mark.parametrize("name", ["plain", "holes", "same", "apart", "sure"])
def test_each_rule_has_the_law_that_it_states(name: str, rule: Rule) -> None:
    """Walking over all outcomes of the rule gives its stated law to 1e-12; only the right one gives p."""
    p, q, following = laws(name)

    def first(source: RandomSource) -> int:
        token, stands, correction = one_by_one(rule, p, q, following, source)
        return token if stands else correction

    walked = walk(first)
    stated = RULES[rule].law(p, q)
    assert stated == pytest.approx([walked.get(token, 0.0) for token in range(p.size)], abs=1e-12)
    apart = float(np.abs(cast("Law", stated) - p).sum() / 2)
    # Where p is sure of one token a fresh draw can only give it too, and where nothing is shared it is p.
    harmless = rule == "ratio" or name == "same" or (rule == "fresh_draw" and name in {"apart", "sure"})
    assert (apart < 1e-12) == harmless
