"""The passes of a recorded arm, made again: what was fed, what was rolled back, whatever the rows now say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from speclab.decoding.prefill import prefill

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from speclab.decoding.protocols import Model, Rows
    from speclab.records.rows import ArmRow

    Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of the target.

    Attributes:
        fed: The pending token and the proposals.
        start: Index of the new token that the first row decided.
        committed: Tokens committed after it; row i decided new token `start + i`.
    """

    fed: tuple[int, ...]
    start: int
    committed: int

    def decides(self, index: int) -> bool:
        """Whether a row of this pass decided that new token."""
        return self.start <= index < self.start + self.committed


@dataclass(frozen=True, slots=True)
class Decision:
    """A row, shape [vocabulary], and the token that the greedy rule takes from it."""

    token: int
    row: Row


def numbers(row: Rows) -> Row:
    """A backend's row of logits in float64, which holds every value of the shorter dtypes exactly."""
    return np.array(row.tolist(), dtype=np.float64)


def passes(prompt: Sequence[int], arm: ArmRow) -> Iterator[Pass]:
    """The passes that an arm made, from what it proposed and committed; plain's hold one token each."""
    start = 0
    for proposals, committed in zip(arm.iterations.proposals, arm.iterations.committed, strict=True):
        pending = arm.ids[start - 1] if start else prompt[-1]
        yield Pass((pending, *proposals), start, committed)
        start += committed


def replay(model: Model, prompt: Sequence[int], arm: ArmRow, indices: Collection[int]) -> dict[int, Decision]:
    """Feed and roll back as the arm did, and read the rows that decided some of its new tokens.

    Args:
        model: The target, its cache empty.
        prompt: Tokens of the prompt.
        arm: What it proposed and committed. The replay feeds these whatever the rows say.
        indices: New tokens, counted from 0, whose rows are wanted.
    """
    prefill(model, prompt)
    found: dict[int, Decision] = {}
    for each in passes(prompt, arm):
        rows = model.feed(each.fed)
        # All rows at once, as the rule takes them: a tie is then decided by the same routine.
        best = rows.argmax(-1).tolist()
        for index in filter(each.decides, indices):
            found[index] = Decision(best[index - each.start], numbers(rows[index - each.start]))
        if len(found) == len(set(indices)):
            break
        model.rollback(len(prompt) + each.start + each.committed - 1)
    return found
