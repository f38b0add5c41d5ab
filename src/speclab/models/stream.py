"""Text as it comes, from tokens that may each hold a part of a character."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_UNFINISHED = "\ufffd"


class TextStream:
    """Decode tokens one after another; a character is given out when its last byte has come.

    Tokens are decoded together with those before them, never alone: some tokenizers drop the space in front of
    a first token, and the bytes of one character may be spread over several tokens.

    Args:
        decode: The tokenizer's way from ids to text.
        prompt: The tokens before the stream; only the last one matters, and it is not given out.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], prompt: Sequence[int]) -> None:
        self._decode = decode
        self._ids = list(prompt[-1:])
        self._given = len(decode(self._ids))

    def add(self, token: int) -> str:
        """The text that this token completes; empty while a character is unfinished."""
        self._ids.append(token)
        text = self._decode(self._ids)
        if text.endswith(_UNFINISHED):
            return ""
        return self._give(text)

    def end(self) -> str:
        """What is left when no token follows, an unfinished character included."""
        return self._give(self._decode(self._ids))

    def _give(self, text: str) -> str:
        new = text[self._given :]
        self._given = max(self._given, len(text))
        return new


def text_after(decode: Callable[[Sequence[int]], str], prefix: Sequence[int], token: int) -> str:
    """One token's text after a prefix; an unfinished character is shown as the tokenizer shows it."""
    stream = TextStream(decode, prefix)
    return stream.add(token) or stream.end()
