"""What the loop asks of a model, of a proposer, of a source of randomness and of a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from speclab.errors import CheckError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from speclab.decoding.sampling import Sampling

# A row of logits or a law is an array of numpy or of torch. Their common methods (`clip`, `sum`, `argmax`,
# `tolist`, arithmetic, indexing) have no common static type, so the two names below carry the meaning.
Rows: TypeAlias = Any
"""Logits, shape [tokens, vocabulary]: row i is what the model says after token i."""
Law: TypeAlias = Any
"""Probabilities over the vocabulary, shape [vocabulary], float32 or better, summing to 1 up to rounding."""
Mark: TypeAlias = Any
"""A moment, as one clock records it; only the same clock can read it."""


class Model(Protocol):
    """A causal language model together with its key-value cache."""

    @property
    def vocabulary(self) -> int:
        """Number of token ids that can be proposed or emitted; padding of the output matrix is not counted."""
        ...

    @property
    def context(self) -> int:
        """Largest number of positions the cache may hold."""
        ...

    @property
    def ids(self) -> Sequence[int]:
        """The tokens in the cache, in order."""
        ...

    @property
    def length(self) -> int:
        """Positions in the cache: as many as `ids`."""
        ...

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Rows:
        """Append tokens to the cache and return the logits after each of them.

        Args:
            ids: Tokens that follow what the cache holds; at least one.
            last: Return only this many last rows (prefill needs none of the others).

        Returns:
            Logits, shape [len(ids), vocabulary] or [last, vocabulary], float32 or better.
        """
        ...

    def rollback(self, length: int) -> None:
        """Cut the cache back to exactly `length` positions on every layer.

        Raises:
            RollbackError: When the cache cannot be cut to that length, or is shorter.
        """
        ...

    def law(self, row: Rows, sampling: Sampling) -> Law:
        """The law that one row of logits (shape [vocabulary]) gives under a sampling."""
        ...

    def fork(self) -> Self:
        """The same weights with a copy of the cache, so that two arms can start from one prefill."""
        ...


@dataclass(frozen=True, slots=True)
class Proposals:
    """The tokens that a proposer guesses, and the laws that they were really drawn from."""

    tokens: tuple[int, ...] = ()
    laws: tuple[Law, ...] | None = None
    """One law for each token; None where tokens were chosen and not drawn (one-hot laws)."""

    def __post_init__(self) -> None:
        if self.laws is not None and len(self.laws) != len(self.tokens):
            msg = f"{len(self.tokens)} proposals with {len(self.laws)} laws: each drawn token needs its law"
            raise ValueError(msg)


class Proposer(Protocol):
    """Whatever guesses the next tokens: a draft model, or anything else that can."""

    def prefill(self, prompt: Sequence[int]) -> None:
        """Take in the prompt but its last token, so that this work is timed apart from decoding."""
        ...

    def propose(self, prefix: Sequence[int], k: int, sampling: Sampling, source: RandomSource) -> Proposals:
        """Guess up to `k` tokens that follow `prefix` (prompt and everything committed)."""
        ...

    def rollback(self, length: int) -> None:
        """Forget everything past the first `length` tokens of the sequence; holding fewer is fine."""
        ...


class RandomSource(Protocol):
    """Every random decision of the loop goes through here."""

    def choose(self, law: Law | tuple[float, ...], position: int) -> int:
        """Draw an index from a law.

        Args:
            law: Probabilities, an array of a backend or a tuple of floats. An index of probability zero is
                never returned.
            position: Index, in the sequence, of the token that is being decided.
        """
        ...


class Clock(Protocol):
    """Time on the device that does the work."""

    def mark(self) -> Mark:
        """Record this moment; does not wait for the device."""
        ...

    def between(self, start: Mark, end: Mark) -> int:
        """Nanoseconds from one mark to another; may wait for the device."""
        ...

    def synchronize(self) -> None:
        """Wait until the device has done everything it was given."""
        ...


class RollbackError(CheckError):
    """A cache did not end at the length that was asked for."""


class LogitsError(CheckError):
    """The target's logits cannot decide a token: NaN, +inf, or no finite entry.

    Attributes:
        position: Index, in the sequence, of the token that could not be decided.
    """

    def __init__(self, position: int) -> None:
        super().__init__(
            f"the target's logits for position {position} hold NaN, +inf or no finite entry; "
            "no token can be decided there (a float16 overflow is the usual cause: try bfloat16 or float32; or "
            "processors ban every token)"
        )
        self.position = position
