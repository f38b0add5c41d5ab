"""Two tokenizers, compared token by token."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.models.tokenizers import require_same, token_map

if TYPE_CHECKING:
    from speclab.models.tokenizers import TokenMap

WORDS = ["a", "b", "c", "d"]


def _map(name: str, tokens: list[str], unused: tuple[int, ...] = ()) -> TokenMap:
    numbered = {token: index for index, token in enumerate(tokens)}
    return token_map(name, SimpleNamespace(get_vocab=lambda: numbered), unused)


def test_equal_ones() -> None:
    """The number of ids that both have."""
    assert require_same(_map("big", WORDS), _map("small", WORDS)) == 4


def test_two_swapped_ids_are_found() -> None:
    """The sizes are equal, so a comparison of sizes would pass it."""
    with pytest.raises(
        InputError, match="big and small have different tokenizers: id 1 is 'b' in the first and 'c'"
    ):
        require_same(_map("big", WORDS), _map("small", ["a", "c", "b", "d"]))


def test_a_token_that_one_lacks() -> None:
    """Whichever of the two lacks it."""
    longer = _map("long", [*WORDS, "e"])
    with pytest.raises(InputError, match="id 4 is 'e' in the first and no token in the second"):
        require_same(longer, _map("short", WORDS))
    with pytest.raises(InputError, match="id 4 is no token in the first and 'e' in the second"):
        require_same(_map("short", WORDS), longer)


@pytest.mark.parametrize("swapped", [False, True])
def test_padding_is_ignored(swapped: bool) -> None:
    """One file lists padding and marks it unused, the other lists none, or lists it under other names."""
    listing = _map("gguf", [*WORDS, "[PAD4]", "[PAD5]"], unused=(4, 5))
    for other in (_map("hub", WORDS), _map("folder", [*WORDS, "<pad>"])):
        pair = (other, listing) if swapped else (listing, other)
        assert require_same(*pair) == 4


def test_an_unused_token_in_the_middle_takes_no_id_away() -> None:
    """It is not compared, and what follows it is real."""
    holed = _map("gguf", ["a", "<unused>", "c", "d"], unused=(1,))
    assert holed.vocabulary == 4
    assert require_same(holed, _map("hub", WORDS)) == 4


def test_control_characters_in_a_token_are_spelled_out() -> None:
    """A message goes to a terminal."""
    with pytest.raises(InputError, match=r"is '\\x1b\[2J' in the first") as raised:
        require_same(_map("big", ["\x1b[2J"]), _map("small", ["a"]))
    assert "\x1b" not in str(raised.value)
