"""The loop on real weights: SmolLM2-135M with its own tokenizer, drafted by itself and by a disturbed copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclab import Sampling, plain_generate
from speclab.backends.hf.model import HFModel
from speclab.models.load import load_model
from tiny import disturbed, plain_greedy
from watched import shares, watched

if TYPE_CHECKING:
    from speclab.decoding.generation import Generation
    from speclab.models.load import LoadedModel

pytestmark = pytest.mark.integration

TEXTS = (
    "The lighthouse keeper wrote in his log every evening, and",
    "def fibonacci(n: int) -> int:\n",
    '{"name": "Ada", "age": 36, "languages": [',
)
TOKENS = 12
NOISE = 0.1
"""Of the disturbed draft, in units of each weight matrix's own spread."""
EXACT = 2e-3
"""Largest difference of a key in float32, where keys reach some tens."""


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    """The real model in float32; `speclab fetch smollm2-135m-instruct` brings it."""
    return load_model("smollm2-135m-instruct", dtype="float32")


@pytest.fixture(scope="module")
def prompts(loaded: LoadedModel) -> list[list[int]]:
    """The texts through the model's own tokenizer."""
    return [loaded.tokenizer(text)["input_ids"] for text in TEXTS]


def speculate(
    loaded: LoadedModel, draft: Any, prompt: list[int], sampling: Sampling | None = None
) -> tuple[Generation, float]:
    """A generation at k = 4, and the largest error of any key of either cache after any iteration."""
    target, guessing = (HFModel(each, vocabulary=loaded.model.vocabulary) for each in (loaded.module, draft))
    result, errors = watched(target, guessing, prompt, k=4, tokens=TOKENS, sampling=sampling or Sampling())
    return result, max(max(pair) for pair in errors)


def test_plain_decoding_is_the_independent_one(loaded: LoadedModel, prompts: list[list[int]]) -> None:
    """With a cache, one token a pass, and without, the whole sequence a pass."""
    vocabulary = loaded.model.vocabulary
    for prompt in prompts:
        result = plain_generate(loaded.module, prompt, max_new_tokens=TOKENS, stop=None, vocabulary=vocabulary)
        assert result.ids == plain_greedy(loaded.module, prompt, TOKENS)


def test_drafted_by_itself(loaded: LoadedModel, prompts: list[list[int]]) -> None:
    """Everything is accepted, the output is plain decoding's, every key is that of a fresh forward."""
    for prompt in prompts:
        result, error = speculate(loaded, loaded.module, prompt)
        assert result.ids == plain_greedy(loaded.module, prompt, TOKENS)
        assert result.alpha == 1
        assert error < EXACT


def test_drafted_by_a_disturbed_copy(loaded: LoadedModel, prompts: list[list[int]]) -> None:
    """The same output from a draft that is often wrong: its acceptance lies between .2 and .95."""
    draft = disturbed(loaded.module, NOISE)
    done = []
    for prompt in prompts:
        result, error = speculate(loaded, draft, prompt)
        assert result.ids == plain_greedy(loaded.module, prompt, TOKENS)
        assert error < EXACT
        done.append(result)
    assert 0.2 <= shares(done) <= 0.95


def test_sampling_drafted_by_itself(loaded: LoadedModel, prompts: list[list[int]]) -> None:
    """Up to the last bits of float32 the two laws are one; nothing outside the vocabulary comes out."""
    result, error = speculate(loaded, loaded.module, prompts[0], Sampling(0.8, top_k=50, top_p=0.95))
    assert shares([result]) == 1
    assert max(result.ids) < loaded.model.vocabulary
    assert error < EXACT
