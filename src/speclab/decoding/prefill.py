"""Taking in the prompt: work that is done once, and timed apart from decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.protocols import Model


def prefill(model: Model, prompt: Sequence[int]) -> None:
    """Feed a prompt but its last token to an empty cache; that one stays pending and nothing is committed.

    A cache that already holds exactly these positions is left as it is, so that arms can start from one prefill.

    Raises:
        ValueError: When the prompt is empty or longer than the context, or the cache is already in use.
    """
    if not prompt:
        msg = "the prompt holds no token; decoding starts from at least one"
        raise ValueError(msg)
    if len(prompt) > model.context:
        msg = f"the prompt holds {len(prompt)} tokens and the model's context only {model.context}: shorten it"
        raise ValueError(msg)
    if model.length == len(prompt) - 1:
        return
    if model.length:
        msg = (
            f"the cache already holds {model.length} positions and this prompt needs {len(prompt) - 1}: "
            "a cache that was used is consumed, give each generation its own"
        )
        raise ValueError(msg)
    model.feed(prompt[:-1], last=1)
