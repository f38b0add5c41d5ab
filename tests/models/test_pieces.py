"""How one token reads by itself, with tokenizers of both families."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from speclab.models.pieces import BYTE_LETTERS, token_pieces


@pytest.fixture(scope="module")
def bytewise() -> PreTrainedTokenizerFast:
    """A byte-level vocabulary of the 256 bytes and one word."""
    vocabulary = {letter: place for place, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab={**vocabulary, "Ġa": 256}, merges=[("Ġ", "a")]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    loaded: Any = PreTrainedTokenizerFast  # untyped
    tokenizer: PreTrainedTokenizerFast = loaded(tokenizer_object=made)
    return tokenizer


def test_the_letters_are_those_of_the_tokenizers() -> None:
    """All 256 bytes, by the letters that the tokenizers' own library uses."""
    assert set(BYTE_LETTERS) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(BYTE_LETTERS.values()) == list(range(256))


def test_a_byte_that_is_no_character_is_shown_by_its_number(bytewise: PreTrainedTokenizerFast) -> None:
    """The euro sign is three tokens here; words, spaces and line ends stay what they are."""
    ids = bytewise("€ a\n", add_special_tokens=False)["input_ids"]
    assert token_pieces(bytewise, ids) == ("\\xe2", "\\x82", "\\xac", " a", "\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("<0xE2>", "\\xe2"),
        ("<0x41>", "A"),
        ("▁no", "\N{REPLACEMENT CHARACTER}"),
        ("\N{REPLACEMENT CHARACTER}", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_bytes_by_name_and_what_is_neither(name: str, text: str) -> None:
    """As SentencePiece names bytes; a token that reads as a replacement mark and names no byte is left so."""
    made: Any = SimpleNamespace(decode=lambda _: "\N{REPLACEMENT CHARACTER}", convert_ids_to_tokens=lambda _: name)
    assert token_pieces(made, [0]) == (text,)
