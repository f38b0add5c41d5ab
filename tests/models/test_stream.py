"""Text from tokens that hold parts of characters."""

from collections.abc import Sequence

import pytest

from speclab.models.stream import TextStream


def bytes_decode(ids: Sequence[int]) -> str:
    """A tokenizer whose tokens are single bytes."""
    return bytes(ids).decode("utf-8", errors="replace")


@pytest.mark.parametrize("text", ["plain", "ď 😀 世界\n\n\t|", "👩‍👩‍👧", "", "a\u202eb"])
def test_pieces_join_to_the_whole_without_half_characters(text: str) -> None:
    """No piece holds a replacement character, and together they are the text."""
    stream = TextStream(bytes_decode, b"prompt")
    pieces = [stream.add(byte) for byte in text.encode()]
    pieces.append(stream.end())
    assert "".join(pieces) == text
    assert not any("\ufffd" in piece for piece in pieces)


def test_an_unfinished_character_is_shown_at_the_end() -> None:
    """When the output ends inside a character, the reader sees that something is missing, once."""
    stream = TextStream(bytes_decode, b"x")
    pieces = [stream.add(byte) for byte in "é".encode()[:1]]
    assert pieces == [""]
    assert stream.end() == "\ufffd"
    assert stream.end() == ""


def test_the_space_of_the_first_token_survives() -> None:
    """A decoder that strips the space in front of its first token still gives it out after a prompt."""

    def stripping(ids: Sequence[int]) -> str:
        return "".join([" the", " cat", " sat"][token] for token in ids).lstrip()

    stream = TextStream(stripping, [0])
    assert stream.add(1) + stream.add(2) == " cat sat"
