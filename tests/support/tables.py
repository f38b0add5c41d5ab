"""Table models whose next token is known, and greedy decoding of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scripted import Never
from speclab.backends.table import TableModel
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.decoding.stops import stop_at

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from speclab.decoding.generation import Generation
    from speclab.decoding.stops import Stop

STEPS = {"perfect": 1, "useless": 2}
"""By which a draft's table counts: like the target, and so that it never agrees."""


def counting(vocabulary: int = 40, *, step: int = 1, context: int = 4096) -> TableModel:
    """After token t comes t + step, modulo the vocabulary; a law at temperature 1 keeps a little for the rest."""
    logits = np.zeros((vocabulary, vocabulary))
    for token in range(vocabulary):
        logits[token, (token + step) % vocabulary] = 5.0
    return TableModel(logits, context=context)


def spoiled(vocabulary: int, rows: dict[int, list[float]]) -> TableModel:
    """The counting table with some rows replaced, which may be shorter: the rest of such a row is zero."""
    logits = np.zeros((vocabulary, vocabulary))
    for token in range(vocabulary):
        logits[token, (token + 1) % vocabulary] = 5.0
    for token, row in rows.items():
        logits[token] = 0
        logits[token, : len(row)] = row
    return TableModel(logits)


def count(
    prompt: Sequence[int],
    k: int,
    tokens: int,
    *,
    draft: TableModel | None = None,
    stop: Collection[int] = (),
    ending: Stop | None = None,
    context: int = 4096,
) -> Generation:
    """Greedy decoding of the counting table."""
    return collect(
        speculative(
            counting(context=context),
            DraftModel(draft or counting()),
            prompt,
            k=k,
            sampling=GREEDY,
            source=Never(),
            stop=ending or stop_at(stop),
            max_new_tokens=tokens,
        )
    )
