"""A model that is a table: logits by the last token, and by its position where wanted. Runs without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from speclab.decoding.protocols import RollbackError
from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from speclab.decoding.sampling import Sampling


class TableModel:
    """A causal model read from a matrix; its cache is the list of the tokens fed.

    Args:
        logits: Shape [vocabulary, vocabulary]; row t holds the logits after token t. Or one such table for each
            position, shape [positions, vocabulary, vocabulary]; there are then no more positions than these.
        context: Largest number of positions the cache may hold.
    """

    def __init__(self, logits: NDArray[np.float64], *, context: int = 4096) -> None:
        self._logits = np.asarray(logits, dtype=np.float64)
        if self._logits.ndim not in {2, 3} or self._logits.shape[-2] != self._logits.shape[-1]:
            msg = f"a table model needs square matrices of logits, not an array of shape {self._logits.shape}"
            raise ValueError(msg)
        self.context = context if self._logits.ndim == 2 else min(context, self._logits.shape[0])
        self.ids: list[int] = []

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""
        return int(self._logits.shape[-1])

    @property
    def length(self) -> int:
        """Positions in the cache."""
        return len(self.ids)

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> NDArray[np.float64]:
        """Append tokens and return the rows of the table after each of them."""
        if len(self.ids) + len(ids) > self.context:
            msg = f"{len(self.ids) + len(ids)} positions asked of a context of {self.context}"
            raise ValueError(msg)
        if not 0 <= min(ids) <= max(ids) < self.vocabulary:
            wrong = next(token for token in ids if not 0 <= token < self.vocabulary)
            msg = f"token {wrong} is outside the table's vocabulary of {self.vocabulary}"
            raise InputError(msg)
        asked = slice(-last if last else 0, None)
        positions, tokens = list(range(len(self.ids), len(self.ids) + len(ids)))[asked], list(ids)[asked]
        self.ids.extend(ids)
        return self._logits[tokens] if self._logits.ndim == 2 else self._logits[positions, tokens]

    def rollback(self, length: int) -> None:
        """Cut the list of tokens back to `length`."""
        if not 0 <= length <= len(self.ids):
            msg = f"a cache of {len(self.ids)} positions cannot be cut back to {length}"
            raise RollbackError(msg)
        del self.ids[length:]

    def law(self, row: NDArray[np.float64], sampling: Sampling) -> NDArray[np.float64]:
        """The law of one row under a sampling, in float64."""
        return law(row, sampling)

    def fork(self) -> Self:
        """The same table with a copy of the cache."""
        twin = type(self)(self._logits, context=self.context)
        twin.ids = list(self.ids)
        return twin


def law(row: NDArray[np.float64], sampling: Sampling) -> NDArray[np.float64]:
    """Temperature, top-k, top-p and min-p applied in this order, as transformers applies them.

    Args:
        row: Logits, shape [vocabulary].
        sampling: Not greedy.

    Returns:
        Probabilities, shape [vocabulary], float64, summing to 1 up to rounding.
    """
    scores = np.asarray(row, dtype=np.float64)
    with np.errstate(over="ignore"):  # a distance beyond float64 is as good as forbidden
        scores = (scores - scores.max()) / sampling.temperature
    if 0 < sampling.top_k < scores.size:
        scores = np.where(scores < np.sort(scores)[-sampling.top_k], -np.inf, scores)
    if sampling.top_p < 1:
        order = np.argsort(scores, kind="stable")  # ascending: the tail is what goes
        tail = np.cumsum(_softmax(scores)[order]) <= 1 - sampling.top_p
        tail[-1] = False
        scores = scores.copy()
        scores[order[tail]] = -np.inf
    if sampling.min_p > 0:
        likelihood = _softmax(scores)
        scores = np.where(likelihood < sampling.min_p * likelihood.max(), -np.inf, scores)
    return _softmax(scores)


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = np.exp(scores - scores.max())
    total: NDArray[np.float64] = weights.sum()
    return np.asarray(weights / total)


class NumpySource:
    """Random decisions from numpy's generator; the same seed gives the same decisions."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def choose(self, law: NDArray[np.float64] | tuple[float, ...], position: int) -> int:
        """Draw an index by inverting the cumulated law over its support.

        Raises:
            ValueError: When the law holds NaN or an infinity, or nothing above zero.
        """
        weights = np.asarray(law, dtype=np.float64)
        support = np.flatnonzero(weights)
        bounds = np.cumsum(weights[support])
        total = bounds[-1] if support.size else 0.0
        if not 0 < total < np.inf:
            msg = f"the law at position {position} holds NaN or an infinity, or nothing above zero"
            raise ValueError(msg)
        # `side="right"` finds the first bound above u, so u = 0 never lands on an empty cell.
        found = int(np.searchsorted(bounds, self._generator.random() * total, side="right"))
        return int(support[min(found, support.size - 1)])
