"""One prompt: a text to continue, or messages to answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

SAFE_NAME = r"[a-z0-9][a-z0-9.-]{0,59}"
"""Ids and kinds become parts of file names and of addresses."""
NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it was written, before any tokenizer.

    Attributes:
        id: Unique among the prompts of a run, safe as a file name.
        kind: What it is counted with.
        text: Raw text to continue; None where there are messages.
        messages: A conversation for the model's chat template; empty where there is text.
        licence: Of the text.
        source: Where it comes from.
    """

    id: str
    kind: str
    text: str | None
    messages: tuple[Message, ...]
    licence: str
    source: str

    @property
    def format(self) -> Literal["raw", "messages"]:
        """Whether the text is fed as it is, or messages through the chat template."""
        return "raw" if self.text is not None else "messages"


def make_prompt(
    place: str,
    *,
    name: str,
    kind: str,
    text: str | None = None,
    messages: Sequence[Message] = (),
    licence: str = NOT_STATED,
    source: str,
) -> Prompt:
    """A checked prompt.

    Args:
        place: File and line, for errors.
        name: The id as it was given; upper case, slashes, underscores and spaces are mapped to what is safe
            (`HumanEval/0` becomes `humaneval.0`).
        kind: Mapped likewise.
        text: Raw text, or None with messages.
        messages: The conversation, or none with a text.
        licence: Of the text.
        source: Where it comes from.

    Raises:
        InputError: On an unsafe id or kind, a prompt that is empty, or text that no encoding can hold.
    """
    parts = [text] if text is not None else [message.content for message in messages]
    if not any(part.strip() for part in parts):
        msg = f"{place}: the prompt {name!r} is empty; give it a text to continue or leave it out"
        raise InputError(msg)
    for part in parts:
        try:
            part.encode()
        except UnicodeEncodeError:
            msg = f"{place}: the prompt {name!r} holds half of a surrogate pair; write the character whole"
            raise InputError(msg) from None
    return Prompt(
        id=_safe(place, "id", name),
        kind=_safe(place, "kind", kind),
        text=text,
        messages=tuple(messages),
        licence=licence,
        source=source,
    )


def select(prompts: Sequence[Prompt], ids: Sequence[str]) -> tuple[Prompt, ...]:
    """The prompts of these ids, in the order of the ids.

    Raises:
        InputError: When there is no prompt of an id.
    """
    known = {prompt.id: prompt for prompt in prompts}
    missing = [each for each in ids if each not in known]
    if missing:
        msg = f"there is no prompt {missing[0]!r}; known are {', '.join(known) or 'none'}"
        raise InputError(msg)
    return tuple(known[each] for each in ids)


def _safe(place: str, what: str, name: str) -> str:
    safe = re.sub(r"[\s_]+", "-", re.sub(r"[/\\:]+", ".", name.strip().lower()))
    if not re.fullmatch(SAFE_NAME, safe):
        msg = (
            f"{place}: the {what} {name[:80]!r} cannot be part of a file name; "
            "use at most 60 letters a-z, digits, dots and hyphens, a letter or digit first"
        )
        raise InputError(msg)
    return safe
