"""What a generation is asked for, as the loop takes it: a prompt, what ends the output, what changes its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from speclab.decoding.processes import BanUntil, InTurn
from speclab.decoding.stops import AnyOf, stop_at
from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.decoding.processed import Process
    from speclab.decoding.protocols import Model
    from speclab.decoding.stops import Stop

Ids: TypeAlias = Any
"""Token ids: integers in a sequence, or a tensor of shape [tokens] or [1, tokens]."""
StopTokens: TypeAlias = int | Iterable[int] | Literal["model"] | None
"""Ids that end the output: an integer, or several in a sequence or tensor; None for none, "model" for those that a
transformers model's generation_config names."""


def tokens(prompt: Ids) -> list[int]:
    """The prompt as integers.

    Raises:
        InputError: When it is none.
    """
    listed = prompt.tolist() if hasattr(prompt, "tolist") else prompt
    if isinstance(listed, Sequence) and len(listed) == 1 and isinstance(listed[0], Sequence):
        listed = listed[0]  # a batch of one
    try:
        return [index(token) for token in listed]
    except TypeError:
        msg = (
            "a prompt is a sequence of token ids, or a tensor of shape [tokens] or [1, tokens]: encode text first"
        )
        raise InputError(msg) from None


def stop_ids(stop: StopTokens, target: Model) -> frozenset[int]:
    """The tokens that end the output.

    Raises:
        InputError: When they are no ids.
    """
    named = isinstance(stop, str) and stop == "model"
    given: Any = getattr(target, "end_of_text", ()) if named else () if stop is None else stop
    listed = given.tolist() if hasattr(given, "tolist") else given
    try:
        return frozenset([listed] if isinstance(listed, int) else map(index, listed))
    except TypeError:
        msg = f"stop is {stop!r}; it is a token id, several of them, None or 'model'"
        raise InputError(msg) from None


def stop_of(ends: frozenset[int], strings: str | Sequence[str], tokenizer: Any, prompt: int) -> Stop:
    """What ends the output: some tokens, and strings where there are any.

    Raises:
        InputError: When the strings cannot be looked for.
    """
    if not strings:
        return stop_at(ends)
    from speclab.backends.hf.stops import StopStrings  # noqa: PLC0415 - needs torch

    return AnyOf((stop_at(ends), StopStrings(strings, tokenizer, prompt)))


def process_of(
    processors: Sequence[Any], ends: frozenset[int], min_new_tokens: int, prompt: int
) -> Process | None:
    """What changes the rows: the ban of early ends, then the logits processors; None where nothing does.

    Raises:
        InputError: When a processor cannot be used, or the number is negative.
    """
    if min_new_tokens < 0:
        msg = f"min_new_tokens is {min_new_tokens}; it must be at least 0"
        raise InputError(msg)
    processes: list[Process] = []
    if ends and min_new_tokens:
        processes.append(BanUntil(tuple(sorted(ends)), prompt + min_new_tokens))
    if processors:
        from speclab.backends.hf.processors import as_process  # noqa: PLC0415 - needs torch

        processes.append(as_process(processors))
    return InTurn(tuple(processes)) if processes else None
