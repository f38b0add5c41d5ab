"""A prompt taken in once for all arms, and the passes that are made before any is timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.decoding.prefill import prefill

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclab.decoding.protocols import Clock, Model


def prefilled(model: Model, prompt: Sequence[int], clock: Clock) -> tuple[Model, int]:
    """A copy of the model that holds the prompt but its last token, and the nanoseconds that this took.

    The same is done once before, untimed: a first pass of a shape pays for what later ones find ready.
    """
    prefill(model.fork(), prompt)
    base = model.fork()
    clock.synchronize()
    start = clock.mark()
    prefill(base, prompt)
    clock.synchronize()
    return base, clock.between(start, clock.mark())


def warm_up(base: Model, lengths: Iterable[int], token: int) -> int:
    """Pass each number of tokens once, after what the cache holds; returns how many passes fitted.

    Args:
        base: Left as it is; the passes are made on a copy.
        lengths: Tokens of each pass.
        token: What is fed, over and over: no time depends on which.
    """
    twin = base.fork()
    start = twin.length
    fitting = [length for length in lengths if start + length <= twin.context]
    for length in fitting:
        twin.feed([token] * length)
        twin.rollback(start)
    return len(fitting)
