"""The source of randomness of a greedy generation: none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from speclab.decoding.protocols import Law


class NoRandomness:
    """Refuses every draw, so that a greedy measurement cannot have drawn anything unnoticed."""

    def choose(self, law: Law | tuple[float, ...], position: int) -> NoReturn:  # noqa: ARG002
        """Refuse."""
        msg = f"a greedy generation asked for a random decision at position {position}"
        raise RuntimeError(msg)


NO_RANDOMNESS = NoRandomness()
