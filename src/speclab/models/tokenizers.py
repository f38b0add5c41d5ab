"""Two tokenizers, compared token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection


class Tokenizer(Protocol):
    """What is asked of a tokenizer here."""

    def get_vocab(self) -> dict[str, int]:
        """The id of every token, added ones included."""
        ...


@dataclass(frozen=True, slots=True)
class TokenMap:
    """The tokens of one model by id. Ids at or above the tokenizer's size are padding and not in it."""

    name: str
    tokens: dict[int, str]
    unused: frozenset[int] = frozenset()
    """Ids that the model's file marks unused: padding too, though the tokenizer lists them."""

    @property
    def vocabulary(self) -> int:
        """Number of real ids: what follows the last one that is used is padding."""
        return 1 + max(self.tokens.keys() - self.unused)


def token_map(name: str, tokenizer: Tokenizer, unused: Collection[int] = ()) -> TokenMap:
    """Read the tokens of a tokenizer."""
    tokens = {index: token for token, index in tokenizer.get_vocab().items()}
    return TokenMap(name, tokens, frozenset(unused))


def require_same(target: TokenMap, draft: TokenMap) -> int:
    """Check that every id that either model really uses means the same token in both.

    What either marks unused is left out, so a tokenizer that lists its padding equals one that does not.

    Returns:
        The number of real ids that both have.

    Raises:
        InputError: Naming both models and the first token that differs.
    """
    padding = target.unused | draft.unused
    for index in sorted((target.tokens.keys() | draft.tokens.keys()) - padding):
        ours, theirs = target.tokens.get(index), draft.tokens.get(index)
        if ours != theirs:
            msg = (
                f"{target.name} and {draft.name} have different tokenizers: id {index} is {_shown(ours)} in the "
                f"first and {_shown(theirs)} in the second; choose a draft of the target's family"
            )
            raise InputError(msg)
    return min(target.vocabulary, draft.vocabulary)


def _shown(token: str | None) -> str:
    return "no token" if token is None else repr(token)
