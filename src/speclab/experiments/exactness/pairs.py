"""The models that are walked: tables with other laws at every position, and tiny transformers with real caches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from speclab.backends.table import TableModel, law
from speclab.decoding.prefill import prefill
from speclab.errors import CheckError
from speclab.experiments.exactness.cases import FULL, SAMPLINGS
from speclab.experiments.exactness.remembered import Memory
from speclab.theory.goodness import total_variation

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from numpy.typing import NDArray

    from speclab.decoding.protocols import Law, Model
    from speclab.decoding.sampling import Sampling
    from speclab.experiments.exactness.cases import Backend, Draft, Miscut
    from speclab.experiments.exactness.remembered import Remembered

PROMPT = (0, 1)
LEAST_DISTANCE = 0.2
"""Total variation by which a noisy draft's law differs from the target's, at every position and under all of
`SIDES`: a draft that nearly agrees would hide a mistake."""
SIDES = (
    (FULL, FULL),
    *(side for each in SAMPLINGS for side in ((each, each), (each, FULL), (FULL, each))),
)
"""The samplings of target and draft that are walked: each on both sides, and on either alone."""
POSITIONS = 12
SPREAD = 1.5
"""Standard deviation of a table's logits."""
DRAFT_SEEDS = range(245, 400)
"""Where a tiny draft is searched; the first few do."""
LONGEST = 5
"""New tokens of the longest configuration of the transformers."""


@dataclass(frozen=True, slots=True)
class Models:
    """A target and a draft with the prompt but its last token in their caches.

    Attributes:
        target: The one that is walked, with its fault where it has one.
        draft: The same.
        exact: The target without a fault and with an empty cache, for its own law.
        guess: The draft like that.
    """

    target: Remembered
    draft: Remembered
    exact: Remembered
    guess: Remembered


@cache
def models(
    backend: Backend,
    vocabulary: int,
    draft: Draft,
    target_miscut: Miscut | None = None,
    draft_miscut: Miscut | None = None,
) -> Models:
    """The pair of a configuration, with the faults of its caches; all walks of one pair share its passes."""
    if backend == "table":
        pair: tuple[Any, Any] = _tables(vocabulary, draft)
        content: Callable[[Any], Hashable] = _ids
    else:
        from speclab.backends.hf.contents import content  # noqa: PLC0415 - torch, which the tables do without

        pair = _transformers(vocabulary, draft)
    walked = (_miscut(model, off) for model, off in zip(pair, (target_miscut, draft_miscut), strict=True))
    ready = (Memory(_prefilled(model), content).start() for model in walked)
    return Models(*ready, *(Memory(model, content).start() for model in pair))


def law_after(model: Model, decided: tuple[int, ...], sampling: Sampling) -> Law:
    """A model's law after the prompt and some tokens, from one pass over all of them in an empty cache."""
    return model.law(model.fork().feed((*PROMPT, *decided), last=1)[0], sampling)


def distances(target: Model, guess: Model, sampling: Sampling, drafting: Sampling, tokens: int) -> Iterator[float]:
    """Total variation of the two laws wherever the target can come to within that many tokens."""
    reached: list[tuple[int, ...]] = [()]
    for _ in range(tokens):
        following = []
        for decided in reached:
            p, q = law_after(target, decided, sampling).tolist(), law_after(guess, decided, drafting).tolist()
            yield total_variation(p, q)
            following += [(*decided, token) for token, weight in enumerate(p) if weight > 0]
        reached = following


def _prefilled(model: Model) -> Model:
    start = model.fork()
    prefill(start, PROMPT)
    return start


def _ids(model: TableModel) -> tuple[int, ...]:
    return tuple(model.ids)


@cache
def _tables(vocabulary: int, draft: Draft) -> tuple[TableModel, TableModel]:
    """Logits from a fixed seed; the noisy draft's rows are drawn until they are far enough from the target's."""
    dice = np.random.default_rng(vocabulary)
    target = SPREAD * dice.standard_normal((POSITIONS, vocabulary, vocabulary))
    if draft == "perfect":
        guess = target
    elif draft == "useless":
        guess = -4 * target
    else:
        guess = np.array([[_apart(dice, row) for row in table] for table in target])
    return TableModel(target), TableModel(guess)


def _apart(dice: np.random.Generator, row: NDArray[np.float64]) -> NDArray[np.float64]:
    while True:
        other = SPREAD * dice.standard_normal(row.size)
        if all(total_variation(law(row, p), law(other, q)) >= LEAST_DISTANCE for p, q in SIDES):
            return other


@cache
def _transformers(vocabulary: int, draft: Draft) -> tuple[Any, Any]:
    from speclab.backends.hf.contents import content  # noqa: PLC0415 - torch, here and below
    from speclab.backends.hf.tiny import tiny_llama  # noqa: PLC0415

    target = tiny_llama(1, vocabulary)
    if draft == "perfect":
        return target, target
    if draft == "useless":
        return target, tiny_llama(1, vocabulary, sharpness=-4.0)
    known = Memory(target, content).start()
    for seed in DRAFT_SEEDS:
        guess = tiny_llama(seed, vocabulary)
        seen = Memory(guess, content).start()
        found = (each for p, q in SIDES for each in distances(known, seen, p, q, LONGEST))
        if all(each >= LEAST_DISTANCE for each in found):
            return target, guess
    msg = f"no tiny draft of {len(DRAFT_SEEDS)} is {LEAST_DISTANCE} away from the target everywhere"
    raise CheckError(msg)


def _miscut(model: Any, off: Miscut | None) -> Any:
    """The same weights behind a cache that is cut wrongly, where it is to be."""
    if off is None:
        return model
    from speclab.backends.hf.faults import MISCUTS  # noqa: PLC0415 - torch

    return MISCUTS[off](model.model)
