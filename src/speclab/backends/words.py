"""Two table models of a dozen words: a target that knows one sentence, and a draft that misremembers it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from speclab.backends.table import TableModel

WORDS = (
    "a",
    "draft",
    "guesses",
    "ahead",
    "and",
    "the",
    "target",
    "checks",
    "every",
    "guess",
    "in",
    "one",
    "pass",
    ".",
)

_SENTENCE = "a draft guesses ahead and the target checks every guess in one pass . a"
_MISREMEMBERED = {"the": "draft", "every": "target", "one": "guess"}

_LIKELY = 4.0
_SECOND = 2.5


def ids(text: str) -> tuple[int, ...]:
    """Token ids of words separated by spaces."""
    return tuple(WORDS.index(word) for word in text.split())


def text(tokens: tuple[int, ...]) -> str:
    """The words of token ids."""
    return " ".join(WORDS[token] for token in tokens)


def target() -> TableModel:
    """The model whose output counts: after each word of the sentence it prefers the next one."""
    return TableModel(_logits({}))


def draft() -> TableModel:
    """A wrong-headed little draft: it prefers another word after three of them."""
    return TableModel(_logits(_MISREMEMBERED))


def _logits(preferred: dict[str, str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Logits after each word: the sentence's next word, unless another is preferred there."""
    table = np.zeros((len(WORDS), len(WORDS)))
    sentence = _SENTENCE.split()
    for word, following in pairwise(sentence):
        table[WORDS.index(word), WORDS.index(following)] = _LIKELY
        if word in preferred:
            table[WORDS.index(word), WORDS.index(following)] = _SECOND
            table[WORDS.index(word), WORDS.index(preferred[word])] = _LIKELY
    return table
