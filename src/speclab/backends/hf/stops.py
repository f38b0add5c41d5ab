"""Stops that transformers makes: strings, and criteria as `generate` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import StoppingCriteriaList, StopStringCriteria

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class StopStrings:
    """Ends the output with the token that completes one of some strings.

    That token is kept whole, with whatever follows the string in it. Only the output is looked at: a string that
    begins in the prompt is not one that the model wrote.

    Args:
        strings: One or several.
        tokenizer: That of the model, a transformers tokenizer.
        prompt: Length of the prompt.

    Raises:
        InputError: When there is no tokenizer, a string is empty, or no token can be part of any.
    """

    def __init__(self, strings: str | Sequence[str], tokenizer: Any, prompt: int) -> None:
        listed: list[Any] = list(strings) if isinstance(strings, list | tuple | set | frozenset) else [strings]
        if not all(isinstance(each, str) for each in listed):
            msg = f"stop_strings is {strings!r}; it is a string, or several"
            raise InputError(msg)
        if not all(listed):
            msg = "a stop string is empty, which every output ends with: leave it out"
            raise InputError(msg)
        if tokenizer is None:
            msg = "stop strings need the model's tokenizer: give tokenizer="
            raise InputError(msg)
        try:
            self._criteria: Any = StopStringCriteria(tokenizer, listed)
        except (AttributeError, ValueError) as error:
            msg = f"the stop strings {listed} cannot be looked for with this tokenizer: {error}"
            raise InputError(msg) from None
        self._prompt = prompt

    def __call__(self, sequence: Sequence[int]) -> bool:
        """Whether the last token completes one of them."""
        return bool(self._criteria(torch.tensor([sequence[self._prompt :]]), None))


class StopCriteria:
    """Ends the output where one of several stopping criteria does.

    They are asked once for each committed token, in order, with the prompt and the output so far, shape
    [1, tokens], and with None for scores: what plain `generate` shows them where it returns no scores.

    Args:
        criteria: A `StoppingCriteriaList`, or any sequence of stopping criteria.
        device: Where they expect the tokens.

    Raises:
        InputError: When one of them judges by scores.
    """

    def __init__(self, criteria: Iterable[object], device: torch.device) -> None:
        self._criteria: Any = StoppingCriteriaList(criteria)
        self._device = device
        if any(type(each).__name__ == "ConfidenceCriteria" for each in self._criteria):
            msg = "the stopping criterion ConfidenceCriteria judges by scores, which are not kept: leave it out"
            raise InputError(msg)

    @property
    def max_length(self) -> int | None:
        """Length of prompt and output together at which one of them ends it; None where none counts."""
        length: int | None = self._criteria.max_length
        return length

    def __call__(self, sequence: Sequence[int]) -> bool:
        """Whether one of them says so."""
        return bool(self._criteria(torch.tensor([sequence], device=self._device), None))
