"""The exact law of the loop's output: a walk over every outcome of one iteration after another.

An iteration leaves a sequence and two caches behind. Paths that end alike are joined there, so that thousands of
runs are not walked from the start again and again; what a cache really holds is part of being alike, so a fault
that stays in a cache goes on from it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from speclab.decoding.loop import speculative
from speclab.theory.enumerate import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Proposer, RandomSource
    from speclab.decoding.rules import SampleRule
    from speclab.decoding.sampling import Sampling
    from speclab.experiments.exactness.remembered import Remembered, State

    Where: TypeAlias = tuple[tuple[int, ...], State, State]
    """The sequence, and the states of the target's cache and the draft's."""
    Make: TypeAlias = Callable[[Remembered], Proposer]
    """Puts a draft behind the proposer's protocol."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What came of all outcomes.

    Attributes:
        law: Probability of each sequence of new tokens.
        paths: Paths of decisions that were walked, one iteration each.
        acceptance: Share of the decided proposals that stood; None where none was decided.
        states: What each cache held after some iteration, with the sequence then: target, draft.
    """

    law: dict[tuple[int, ...], float]
    paths: int
    acceptance: float | None
    states: tuple[Where, ...]


def output_law(
    target: Remembered,
    draft: Remembered,
    prompt: Sequence[int],
    *,
    make: Make,
    rule: SampleRule,
    sampling: Sampling,
    k: int,
    tokens: int,
) -> Walked:
    """Walk the shipped loop through every outcome.

    Args:
        target: With the prompt but its last token in the cache.
        draft: The same.
        prompt: At least one token.
        make: The proposer.
        rule: Which proposals stand.
        sampling: Of the target; not greedy.
        k: Tokens to propose.
        tokens: New tokens whose joint law is wanted.
    """
    at: list[dict[Where, float]] = [defaultdict(float) for _ in range(tokens + 1)]
    at[0][tuple(prompt), target.state, draft.state] = 1.0
    paths, stood, decided = 0, [], []
    for done in range(tokens):
        for (sequence, checking, guessing), reached in at[done].items():
            step = _Step(target, draft, sequence, checking, guessing, make, rule, sampling, k, tokens - done)
            for (where, accepted, judged), chance in walk(step).items():
                at[len(where[0]) - len(prompt)][where] += reached * chance
                stood.append(reached * chance * accepted)
                decided.append(reached * chance * judged)
            paths += step.paths
    law: dict[tuple[int, ...], float] = defaultdict(float)
    for (sequence, *_), reached in at[tokens].items():
        law[sequence[len(prompt) :]] += reached
    total = math.fsum(decided)
    states = tuple(where for each in at for where in each)
    return Walked(dict(law), paths, math.fsum(stood) / total if total else None, states)


class _Step:
    """One iteration from one state, as a function of its random decisions."""

    def __init__(
        self,
        target: Remembered,
        draft: Remembered,
        sequence: tuple[int, ...],
        checking: State,
        guessing: State,
        make: Make,
        rule: SampleRule,
        sampling: Sampling,
        k: int,
        tokens: int,
    ) -> None:
        self._models = (target, checking), (draft, guessing)
        self._sequence = sequence
        self._make = make
        self._rule = rule
        self._sampling = sampling
        self._k = k
        self._tokens = tokens
        self.paths = 0

    def __call__(self, source: RandomSource) -> tuple[Where, int, int]:
        """The state after it, and how many proposals stood and were decided."""
        self.paths += 1
        target, draft = (model.at(state) for model, state in self._models)
        iteration = next(
            speculative(
                target,
                _UnderWay(self._make(draft)),
                self._sequence,
                k=self._k,
                sampling=self._sampling,
                source=source,
                rule=self._rule,
                max_new_tokens=self._tokens,
            )
        )
        where = ((*self._sequence, *iteration.committed), target.state, draft.state)
        rejected = iteration.accepted < len(iteration.proposed)
        return where, iteration.accepted, iteration.accepted + rejected


class _UnderWay:
    """A proposer in the middle of a generation: the prompt was taken in long ago."""

    def __init__(self, proposer: Proposer) -> None:
        self.propose = proposer.propose
        self.rollback = proposer.rollback

    def prefill(self, prompt: Sequence[int]) -> None:
        """Its cache lacks what it never fed, which is no beginning."""
