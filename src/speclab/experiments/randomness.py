"""Where the random decisions of an arm come from: nowhere when it is greedy, a seed of its own when it samples."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NoReturn

from speclab.backends.source import source_for

if TYPE_CHECKING:
    from speclab.decoding.protocols import Law, Model, RandomSource


class NoRandomness:
    """Refuses every draw, so that a greedy measurement cannot have drawn anything unnoticed."""

    def choose(self, law: Law | tuple[float, ...], position: int) -> NoReturn:  # noqa: ARG002
        """Refuse."""
        msg = f"a greedy generation asked for a random decision at position {position}"
        raise RuntimeError(msg)


NO_RANDOMNESS = NoRandomness()


def seeded_source(model: Model, stream: str) -> RandomSource:
    """Random numbers of their own for a stream: the same name gives the same again.

    Args:
        model: Whose laws are drawn from.
        stream: Names the numbers.
    """
    return source_for(model, int.from_bytes(hashlib.sha256(stream.encode()).digest()[:7], "big"))
