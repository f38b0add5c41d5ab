"""How one token reads by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedTokenizerBase

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_REPLACED = "\N{REPLACEMENT CHARACTER}"


def _byte_letters() -> dict[str, int]:
    """The letter by which a byte-level vocabulary writes each byte.

    Printable ones stand for themselves, the others follow from 256 on.

    Source: Radford et al. 2019 (GPT-2), the published encoder.
    """
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(others)}


BYTE_LETTERS = _byte_letters()


def token_pieces(tokenizer: PreTrainedTokenizerBase, tokens: Sequence[int]) -> tuple[str, ...]:
    r"""The text of each token, decoded alone.

    Args:
        tokenizer: Of the model.
        tokens: Ids.

    Returns:
        One text a token. Bytes that are no character by themselves, as when a character is spread over two
        tokens, are written `\xNN`.
    """
    return tuple(_piece(tokenizer, token) for token in tokens)


def _piece(tokenizer: PreTrainedTokenizerBase, token: int) -> str:
    text = str(tokenizer.decode([token]))
    if _REPLACED not in text:
        return text
    name = str(tokenizer.convert_ids_to_tokens(token))
    if found := _BYTE.fullmatch(name):
        return bytes([int(found[1], 16)]).decode("utf-8", "backslashreplace")
    if all(letter in BYTE_LETTERS for letter in name):
        return bytes(BYTE_LETTERS[letter] for letter in name).decode("utf-8", "backslashreplace")
    return text
