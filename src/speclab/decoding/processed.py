"""A model whose logits are changed by what came before: penalties, bans, forced tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from speclab.decoding.protocols import Rows

if TYPE_CHECKING:
    from typing import Self

    from speclab.decoding.protocols import Law, Model
    from speclab.decoding.sampling import Sampling

Process: TypeAlias = Callable[[Sequence[int], Rows], Rows]
"""From the prompt and the output so far, and the row of logits (shape [vocabulary]) that follows, to another."""


class ProcessedModel:
    """Shows each row of logits, with the tokens before it, to a process, and gives on what that returns.

    In a check, row i follows the committed tokens and the first i proposals. So a process sees with every row that
    can decide something exactly the prefix that plain decoding would show it, however many tokens a pass takes in.
    Behind a rejection it sees prefixes that are then given up: it must not remember them.

    Args:
        model: Fed as before; its cache knows nothing of the process.
        process: Depends on its arguments alone.
        prompt: Length of the prompt. Rows inside it decide nothing and are left as they are.
    """

    def __init__(self, model: Model, process: Process, prompt: int) -> None:
        self.model = model
        self.process = process
        self.prompt = prompt

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""
        return self.model.vocabulary

    @property
    def context(self) -> int:
        """Largest number of positions the cache may hold."""
        return self.model.context

    @property
    def ids(self) -> Sequence[int]:
        """The tokens in the cache, in order."""
        return self.model.ids

    @property
    def length(self) -> int:
        """Positions in the cache."""
        return self.model.length

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Rows:
        """Append tokens to the cache and return the processed logits after each of them."""
        sequence = [*self.model.ids, *ids]
        rows = self.model.feed(ids, last=last) + 0  # a copy that can be written to
        for index in range(len(rows)):
            end = len(sequence) - len(rows) + index + 1
            if end >= self.prompt:
                rows[index] = self.process(sequence[:end], rows[index])
        return rows

    def rollback(self, length: int) -> None:
        """Cut the cache back to exactly `length` positions."""
        self.model.rollback(length)

    def law(self, row: Rows, sampling: Sampling) -> Law:
        """The law that a processed row gives under a sampling."""
        return self.model.law(row, sampling)

    def fork(self) -> Self:
        """The same with a copy of the cache."""
        return type(self)(self.model.fork(), self.process, self.prompt)
