"""Taking in the prompt: work that is done once, and timed apart from decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.protocols import Model


def prefill(model: Model, prompt: Sequence[int]) -> None:
    """Feed a prompt but its last token to an empty cache; that one stays pending and nothing is committed.

    A cache that already holds exactly these tokens is left as it is, so that arms can start from one prefill.

    Raises:
        InputError: When the prompt is empty or longer than the context, or the cache is already in use.
    """
    if not prompt:
        msg = "the prompt holds no token; decoding starts from at least one"
        raise InputError(msg)
    if len(prompt) > model.context:
        msg = f"the prompt holds {len(prompt)} tokens and the model's context only {model.context}: shorten it"
        raise InputError(msg)
    fed = list(prompt[:-1])
    if list(model.ids) == fed:
        return
    if model.length:
        msg = (
            f"the cache already holds {model.length} tokens and not the {len(fed)} that this prompt needs: "
            "a cache that was used is consumed, give each generation its own"
        )
        raise InputError(msg)
    model.feed(fed, last=1)
