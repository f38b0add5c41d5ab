"""What ends an output before its budget does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

Stop: TypeAlias = Callable[[Sequence[int]], bool]
"""Given the prompt and the output so far: whether the output ends with its last token.

Asked once for each token that is committed, in order, so a token behind the one that ends the output is never
looked at: a stop that did would change the law of what is kept.
"""


def never(sequence: Sequence[int]) -> bool:  # noqa: ARG001
    """Ends nothing."""
    return False


@dataclass(frozen=True, slots=True)
class StopIds:
    """Ends the output with any of some tokens."""

    ids: frozenset[int]

    def __call__(self, sequence: Sequence[int]) -> bool:
        """Whether the last token is one of them."""
        return sequence[-1] in self.ids


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Ends the output where one of several stops does."""

    stops: tuple[Stop, ...]

    def __call__(self, sequence: Sequence[int]) -> bool:
        """Whether one of them says so."""
        return any(stop(sequence) for stop in self.stops)


def stop_at(ids: Iterable[int]) -> Stop:
    """A stop at these tokens; `never` where there is none."""
    listed = frozenset(ids)
    return StopIds(listed) if listed else never
