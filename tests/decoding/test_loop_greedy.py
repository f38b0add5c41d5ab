"""Greedy speculation on tiny real models: the output of plain decoding, and both caches exact all the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from caches import OneTooLong, cache_error
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import TorchSource
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling
from tiny import contrary, disturbed, plain_greedy, tiny_llama

if TYPE_CHECKING:
    from speclab.decoding.generation import Generation

PROMPTS = ([5], [1, 2, 3], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
NEW_TOKENS = 14
TARGET = tiny_llama()
DRAFTS = {"perfect": TARGET, "useless": contrary(TARGET), "noisy": disturbed(TARGET, 0.1)}
EXACT = 1e-4
"""Largest difference of a key in float32, where keys are of order 1; a misplaced one differs by order 1."""


@pytest.fixture(scope="module")
def reference() -> dict[int, tuple[int, ...]]:
    """Plain decoding of each prompt, by length of the prompt."""
    return {len(prompt): plain_greedy(TARGET, prompt, NEW_TOKENS) for prompt in PROMPTS}


def decode(
    target: HFModel, draft: HFModel, prompt: list[int], k: int, sampling: Sampling = GREEDY, seed: int = 0
) -> tuple[Generation, list[tuple[float, float]]]:
    """A generation, and after each iteration how far both caches are from a fresh forward."""
    errors: list[tuple[float, float]] = []

    def watched() -> Any:
        iterations = speculative(
            target,
            DraftModel(draft),
            prompt,
            k=k,
            sampling=sampling,
            source=TorchSource(seed),
            max_new_tokens=NEW_TOKENS,
        )
        sequence = list(prompt)
        while True:
            try:
                step = next(iterations)
            except StopIteration as end:
                return end.value
            sequence += step.committed
            assert target.length == step.target_length
            due = target.length == len(sequence) - 1 and draft.length <= len(sequence) - 1
            errors.append((cache_error(target, sequence) if due else float("inf"), cache_error(draft, sequence)))
            yield step

    return collect(watched()), errors


@pytest.mark.parametrize("k", range(1, 9))
@pytest.mark.parametrize("kind", DRAFTS)
def test_output_and_caches(kind: str, k: int, reference: dict[int, tuple[int, ...]]) -> None:
    """Equal to plain decoding for every draft; the caches equal fresh ones after every iteration."""
    accepted = rejections = 0
    for prompt in PROMPTS:
        result, errors = decode(HFModel(TARGET), HFModel(DRAFTS[kind]), prompt, k)
        assert result.ids == reference[len(prompt)]
        assert result.finish == "length"
        assert sum(len(step.committed) for step in result.iterations) == NEW_TOKENS
        assert max(max(pair) for pair in errors) < EXACT
        accepted += sum(step.accepted for step in result.iterations)
        rejections += sum(step.accepted < len(step.proposed) for step in result.iterations)
    alpha = accepted / (accepted + rejections)
    low, high = {"perfect": (1, 1), "useless": (0, 0), "noisy": (0.2, 0.8)}[kind]
    assert low <= alpha <= high


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("kind", DRAFTS)
def test_caches_when_sampling(kind: str, k: int) -> None:
    """Drawn tokens leave the same exact caches, and a perfect draft is accepted whole."""
    sampling = Sampling(temperature=1.0, top_k=30)
    result, errors = decode(HFModel(TARGET), HFModel(DRAFTS[kind]), PROMPTS[1], k, sampling, seed=k)
    assert len(result.ids) == NEW_TOKENS
    assert max(max(pair) for pair in errors) < EXACT
    if kind == "perfect":
        assert all(step.accepted == len(step.proposed) for step in result.iterations)


def test_draft_cache_one_too_long_is_found() -> None:
    """A stale position in the draft's cache leaves the output right: keys and full acceptance tell of it."""
    prompt = PROMPTS[1]
    plain = plain_greedy(TARGET, prompt, NEW_TOKENS)
    noisy, errors = decode(HFModel(TARGET), OneTooLong(DRAFTS["noisy"]), prompt, 4)
    assert noisy.ids == plain
    assert max(draft for _, draft in errors) > EXACT
    # A perfect draft is never rejected, so the stale position is one of a prefill that was cut back.
    stale = OneTooLong(TARGET)
    stale.feed(prompt)
    stale.rollback(len(prompt) - 1)
    perfect, errors = decode(HFModel(TARGET), stale, prompt, 4)
    assert perfect.ids == plain
    assert max(draft for _, draft in errors) > EXACT
    assert any(step.accepted < len(step.proposed) for step in perfect.iterations)


def test_target_cache_one_too_long_is_found() -> None:
    """The same fault in the target's cache shows in its keys and in the output."""
    result, errors = decode(OneTooLong(TARGET), HFModel(DRAFTS["useless"]), PROMPTS[1], 4)
    assert max(target for target, _ in errors) > EXACT
    assert result.ids != plain_greedy(TARGET, PROMPTS[1], NEW_TOKENS)
