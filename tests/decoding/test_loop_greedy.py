"""Speculation on tiny real models: the output of plain decoding, and both caches exact all the way."""

from __future__ import annotations

import pytest

from speclab.backends.hf.faults import OneTooLong
from speclab.backends.hf.model import HFModel
from speclab.decoding.sampling import Sampling
from tiny import contrary, disturbed, plain_greedy, tiny_llama
from watched import shares, watched

PROMPTS = ([5], [1, 2, 3], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
TOKENS = 14
TARGET = tiny_llama()
DRAFTS = {"perfect": TARGET, "useless": contrary(TARGET), "noisy": disturbed(TARGET, 0.1)}
ALPHA = {"perfect": (1.0, 1.0), "useless": (0.0, 0.0), "noisy": (0.2, 0.8)}
EXACT = 1e-4
"""Largest difference of a key in float32, where keys are of order 1; a misplaced one differs by order 1."""


@pytest.fixture(scope="module")
def due() -> list[tuple[int, ...]]:
    """Plain decoding of each prompt."""
    return [plain_greedy(TARGET, prompt, TOKENS) for prompt in PROMPTS]


@pytest.mark.parametrize("k", range(1, 9))
@pytest.mark.parametrize("kind", DRAFTS)
def test_greedy_output_and_caches(kind: str, k: int, due: list[tuple[int, ...]]) -> None:
    """Equal to plain decoding for every draft; the caches equal fresh ones after every iteration."""
    done = []
    for prompt, ids in zip(PROMPTS, due, strict=True):
        result, errors = watched(HFModel(TARGET), HFModel(DRAFTS[kind]), prompt, k=k, tokens=TOKENS)
        assert result.ids == ids
        assert result.finish == "length"
        assert sum(len(step.committed) for step in result.iterations) == TOKENS
        assert max(max(pair) for pair in errors) < EXACT
        done.append(result)
    low, high = ALPHA[kind]
    assert low <= shares(done) <= high


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("kind", DRAFTS)
def test_caches_when_sampling(kind: str, k: int) -> None:
    """Drawn tokens leave the same exact caches, and a perfect draft is accepted whole."""
    sampling = Sampling(temperature=1.0, top_k=30)
    result, errors = watched(
        HFModel(TARGET), HFModel(DRAFTS[kind]), PROMPTS[1], k=k, tokens=TOKENS, sampling=sampling, seed=k
    )
    assert len(result.ids) == TOKENS
    assert max(max(pair) for pair in errors) < EXACT
    if kind == "perfect":
        assert shares([result]) == 1


def test_draft_cache_one_too_long_is_found() -> None:
    """A stale position in the draft's cache leaves the output right: keys and full acceptance tell of it."""
    prompt = PROMPTS[1]
    plain = plain_greedy(TARGET, prompt, TOKENS)
    noisy, errors = watched(HFModel(TARGET), OneTooLong(DRAFTS["noisy"]), prompt, k=4, tokens=TOKENS)
    assert noisy.ids == plain
    assert max(draft for _, draft in errors) > EXACT
    # A perfect draft is never rejected, so the stale position is one of a prefill that was cut back.
    stale = OneTooLong(TARGET)
    stale.feed(prompt)
    stale.rollback(len(prompt) - 1)
    perfect, errors = watched(HFModel(TARGET), stale, prompt, k=4, tokens=TOKENS)
    assert perfect.ids == plain
    assert max(draft for _, draft in errors) > EXACT
    assert shares([perfect]) < 1


def test_target_cache_one_too_long_is_found() -> None:
    """The same fault in the target's cache shows in its keys and in the output."""
    result, errors = watched(OneTooLong(TARGET), HFModel(DRAFTS["useless"]), PROMPTS[1], k=4, tokens=TOKENS)
    assert max(target for target, _ in errors) > EXACT
    assert result.ids != plain_greedy(TARGET, PROMPTS[1], TOKENS)
