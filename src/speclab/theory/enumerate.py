"""The walk over all outcomes: the exact law of a sampling procedure, from the procedure itself.

A run that takes every random decision from one source can be run once for each path of decisions. The paths'
probabilities then add up to the law of its result, without a single draw and without a formula of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from speclab.errors import CheckError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from speclab.decoding.protocols import RandomSource

T = TypeVar("T", bound="Hashable")
Law: TypeAlias = Any
"""Probabilities: an array of numpy or of torch, or a sequence of floats."""

TOTAL_TOLERANCE = 1e-9
"""Largest distance from 1 that the probabilities of all paths may add up to."""


def walk(run: Callable[[RandomSource], T]) -> dict[T, float]:
    """Run once for each path of random outcomes and add up the paths' probabilities in float64.

    The walk goes depth first. Each path starts again from nothing, so `run` must build what it uses (caches
    above all) anew, and apart from the source's answers it must be deterministic. Outcomes of probability zero
    are never visited.

    Args:
        run: Takes a source of randomness, returns a hashable result.

    Returns:
        The probability of each result, in the order in which the results were first met.

    Raises:
        CheckError: When the probabilities do not add up to 1 within `TOTAL_TOLERANCE`, when a law holds NaN,
            an infinity, a negative number or nothing above zero, or when a repeated prefix of decisions led to
            another law.
    """
    source = _Path()
    parts: dict[T, list[float]] = {}
    more = True
    while more:
        source.restart()
        parts.setdefault(run(source), []).append(source.probability())
        more = source.advance()
    return _checked({result: math.fsum(each) for result, each in parts.items()})


def joint_law(step: Callable[[tuple[int, ...]], Law], length: int) -> dict[tuple[int, ...], float]:
    """The exact law of plain decoding over the next tokens: the chain rule, and nothing else.

    Written apart from `walk`, so that a fault of one is not a fault of both.

    Args:
        step: From the tokens decided so far to the law of the next one, shape [vocabulary].
        length: Number of tokens to decide.

    Returns:
        The probability of each sequence of `length` tokens that is possible, in lexicographic order.

    Raises:
        CheckError: When a law is not one, or the probabilities do not add up to 1 within `TOTAL_TOLERANCE`.
    """
    reached: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(length):
        reached = {
            (*prefix, token): probability * weight
            for prefix, probability in reached.items()
            for token, weight in enumerate(_weights(step(prefix), len(prefix)))
            if weight > 0
        }
    return _checked(reached)


def law_distance(left: Mapping[T, float], right: Mapping[T, float]) -> float:
    """Total variation of two laws of results: half the sum of the absolute differences, missing meaning zero."""
    results = dict.fromkeys([*left, *right])
    return math.fsum(abs(left.get(each, 0.0) - right.get(each, 0.0)) for each in results) / 2


def _checked(law: dict[T, float]) -> dict[T, float]:
    """The same law, unless its total is off."""
    total = math.fsum(law.values())
    if abs(total - 1) > TOTAL_TOLERANCE:
        msg = (
            f"the probabilities of all results add up to {total!r} and not to 1 within {TOTAL_TOLERANCE}: "
            "a law is not normalised, or was computed in less than float64"
        )
        raise CheckError(msg)
    return law


class _Path:
    """A source that replays the decisions of one path, then takes the first possible outcome of each new law."""

    def __init__(self) -> None:
        self._laws: list[list[float]] = []
        self._chosen: list[int] = []
        self._depth = 0

    def restart(self) -> None:
        """Go back to the first decision."""
        self._depth = 0

    def choose(self, law: Law, position: int) -> int:
        """The outcome that this path takes at this decision."""
        weights = _weights(law, position)
        if self._depth == len(self._chosen):
            self._laws.append(weights)
            self._chosen.append(_next_possible(weights, 0))
        elif weights != self._laws[self._depth]:
            msg = (
                f"decision {self._depth} (position {position}) has another law than when the same decisions led "
                "to it before: the run is not deterministic, or keeps state between paths"
            )
            raise CheckError(msg)
        self._depth += 1
        return self._chosen[self._depth - 1]

    def probability(self) -> float:
        """Product of the probabilities of the decisions of this path."""
        if self._depth != len(self._chosen):
            msg = (
                f"a path of {len(self._chosen)} decisions ended after {self._depth}: the run is not "
                "deterministic, or keeps state between paths"
            )
            raise CheckError(msg)
        return math.prod(law[index] for law, index in zip(self._laws, self._chosen, strict=True))

    def advance(self) -> bool:
        """Move the deepest decision that has another possible outcome to it; False when every path was taken."""
        while self._chosen:
            law, last = self._laws[-1], self._chosen[-1]
            following = _next_possible(law, last + 1)
            if following < len(law):
                self._chosen[-1] = following
                return True
            self._laws.pop()
            self._chosen.pop()
        return False


def _next_possible(weights: list[float], start: int) -> int:
    """First index from `start` on with a probability above zero; the length where there is none."""
    return next((index for index in range(start, len(weights)) if weights[index] > 0), len(weights))


def _weights(law: Law, position: int) -> list[float]:
    """A law as plain floats, checked."""
    weights = [float(weight) for weight in (law.tolist() if hasattr(law, "tolist") else law)]
    if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
        msg = f"the law at position {position} is not one: {_shown(weights)}"
        raise CheckError(msg)
    return weights


def _shown(weights: list[float]) -> str:
    """The first few numbers of a law."""
    return f"[{', '.join(f'{weight:.6g}' for weight in weights[:8])}{', …' if len(weights) > 8 else ''}]"
