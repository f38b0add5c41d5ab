"""What a generation is asked for, as the loop takes it: a prompt, what ends the output, what changes its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from speclab.decoding.processes import BanUntil, InTurn
from speclab.decoding.sampling import Sampling
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

SEEDS = 2**63
"""How many seeds there are that both generators of random numbers take."""


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


def require_usable(sampling: object, draft_sampling: object, rule: object, source: object) -> None:
    """Check what is easily mistaken for a number or a name.

    Raises:
        InputError: When one of them is another thing.
    """
    for name, each in (("sampling", sampling), ("draft_sampling", draft_sampling)):
        if not isinstance(each, Sampling) and (each is not None or name == "sampling"):
            msg = f"{name} is {each!r}; it is a Sampling, for instance Sampling(temperature=0.7)"
            raise InputError(msg)
    if not callable(rule) or not (source is None or hasattr(source, "choose")):
        msg = "rule is a rule of acceptance, as in speclab.decoding.rules, and source a source of random decisions"
        raise InputError(msg)


def whole(name: str, value: object, *, below: int | None = None) -> int:
    """A whole number that is not negative.

    Raises:
        InputError: When it is another thing, naming the argument.
    """
    number: Any = value
    try:
        found = index(number)
    except TypeError:
        found = -1
    if found < 0 or isinstance(value, bool) or (below is not None and found >= below):
        limit = "at least 0" if below is None else f"from 0 to {below - 1}"
        msg = f"{name} is {value!r}; it must be a whole number, {limit}"
        raise InputError(msg)
    return found


def stop_ids(stop: StopTokens, target: Model) -> frozenset[int]:
    """The tokens that end the output; of those that a model's configuration names, the ones that it can write.

    Raises:
        InputError: When they are no ids of the vocabulary.
    """
    if isinstance(stop, str) and stop == "model":
        named: Iterable[int] = getattr(target, "end_of_text", ())
        return frozenset(each for each in named if 0 <= each < target.vocabulary)
    given: Any = () if stop is None else stop
    listed = given.tolist() if hasattr(given, "tolist") else given
    try:
        found = frozenset([index(listed)] if isinstance(listed, int) else map(index, listed))
    except TypeError:
        found = frozenset([-1])
    if isinstance(stop, str | bool) or not all(0 <= each < target.vocabulary for each in found):
        msg = (
            f"stop is {stop!r}; it is a token id, several of them (from 0 to {target.vocabulary - 1}), None, or "
            "'model' for those of the model's configuration"
        )
        raise InputError(msg)
    return found


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
        InputError: When a processor cannot be used.
    """
    processes: list[Process] = []
    if ends and min_new_tokens:
        processes.append(BanUntil(tuple(sorted(ends)), prompt + min_new_tokens))
    if processors:
        from speclab.backends.hf.processors import as_process  # noqa: PLC0415 - needs torch

        several = processors if isinstance(processors, Iterable) else [processors]
        processes.append(as_process(several))
    return InTurn(tuple(processes)) if processes else None
