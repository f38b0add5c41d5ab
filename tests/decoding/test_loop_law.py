"""The law of the sampling loop, with real tiny models and caches: all outcomes counted, and many drawn.

A fault is planted in the rule, the proposer or the target's cache; each must fail both.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import torch
from scipy import stats

from caches import OneTooLong
from faults import ArgmaxDraft, accept_keeping_the_draft, fresh_draw
from remembered import Memory
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import TorchSource
from speclab.decoding import loop, rules
from speclab.decoding.generation import collect
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import Sampling
from speclab.theory.enumerate import joint_law, law_distance, walk
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import RandomSource

PROMPT = [0, 1]
SEEDS = {2: (1, 9), 3: (1, 10), 8: (1, 11)}
"""By vocabulary: of a target and a draft whose first laws are at least .2 apart."""
FAULTS = ("fresh draw", "draft kept", "argmax draft", "target cache one too long")
DRAWS = 6000
FALSE_ALARM = 1e-3


@cache
def pair(vocabulary: int) -> tuple[Any, Any]:
    """A target and a draft in float64."""
    target, draft = (
        tiny_llama(seed, vocabulary=vocabulary, layers=1, hidden=16, sharpness=1.0, dtype=torch.float64)
        for seed in SEEDS[vocabulary]
    )
    laws = [full_logits(model, PROMPT)[-1].softmax(-1) for model in (target, draft)]
    assert float((laws[0] - laws[1]).abs().sum()) / 2 >= 0.2
    return target, draft


def runner(
    vocabulary: int, k: int, tokens: int, fault: str, sampling: Sampling
) -> Callable[[RandomSource], tuple[int, ...]]:
    """The shipped loop from empty caches, as a function of its random decisions."""
    target, draft = pair(vocabulary)
    checking = Memory((OneTooLong if fault == "target cache one too long" else HFModel)(target))
    guessing = Memory(HFModel(draft))
    proposer = ArgmaxDraft if fault == "argmax draft" else DraftModel

    def run(source: RandomSource) -> tuple[int, ...]:
        iterations = loop.speculative(
            checking.start(),
            proposer(guessing.start()),
            PROMPT,
            k=k,
            sampling=sampling,
            source=source,
            rule=accept_keeping_the_draft if fault == "draft kept" else rules.accept_sample,
            max_new_tokens=tokens,
        )
        return collect(iterations).ids

    return run


def exact(vocabulary: int, tokens: int, sampling: Sampling) -> dict[tuple[int, ...], float]:
    """The target's joint law, from full passes without a cache and the chain rule."""
    target, _ = pair(vocabulary)

    def step(decided: tuple[int, ...]) -> torch.Tensor:
        scores = full_logits(target, [*PROMPT, *decided])[-1] / sampling.temperature
        if sampling.top_k:
            scores[scores < scores.sort().values[-sampling.top_k]] = -torch.inf
        return scores.softmax(-1)

    return joint_law(step, tokens)


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a wrong rule in the place of the right one; the other faults are classes of their own."""

    def into(fault: str) -> None:
        if fault == "fresh draw":
            monkeypatch.setattr(rules, "residual", fresh_draw)

    return into


@pytest.mark.parametrize(
    ("vocabulary", "k", "tokens"),
    [(3, 1, 2), (3, 2, 3), (3, 3, 4), (3, 1, 4), (3, 2, 5), (2, 3, 6)],
    ids=str,
)
def test_joint_law_is_exact(vocabulary: int, k: int, tokens: int) -> None:
    """Every sequence has its probability to 1e-9; k + 3 tokens let an iteration follow one that kept all."""
    sampling = Sampling(temperature=1.0)
    counted = walk(runner(vocabulary, k, tokens, "none", sampling))
    due = exact(vocabulary, tokens, sampling)
    assert set(counted) == set(due)
    assert max(abs(counted[each] - due[each]) for each in due) < 1e-9


def test_joint_law_is_exact_under_top_k() -> None:
    """What the sampling cut never comes out, though the draft's law keeps other tokens than the target's."""
    sampling = Sampling(temperature=0.8, top_k=2)
    counted = walk(runner(3, 2, 4, "none", sampling))
    assert law_distance(counted, exact(3, 4, sampling)) < 1e-9
    assert len(counted) == 2**4


@pytest.mark.parametrize("fault", FAULTS)
def test_enumeration_finds(fault: str, plant: Callable[[str], None]) -> None:
    """Each planted fault is far from the exact law."""
    plant(fault)
    sampling = Sampling(temperature=1.0)
    counted = walk(runner(3, 1, 4, fault, sampling))
    assert law_distance(counted, exact(3, 4, sampling)) > 0.02


def drawn_p_value(fault: str) -> float:
    """P-value of 6,000 runs of three tokens over a vocabulary of eight; cells are pooled by what is expected."""
    sampling = Sampling(temperature=1.0)
    run = runner(8, 2, 3, fault, sampling)
    source = TorchSource(2024)
    counts = Counter(run(source) for _ in range(DRAWS))
    due = exact(8, 3, sampling)
    assert set(counts) <= set(due)
    own = [each for each in due if due[each] * DRAWS >= 5]
    observed = [counts[each] for each in own]
    expected = [due[each] * DRAWS for each in own]
    observed.append(DRAWS - sum(observed))
    expected.append(DRAWS - sum(expected))
    return float(stats.chisquare(observed, expected).pvalue)


def test_drawn_law_is_right() -> None:
    """Through the real generator; a right loop fails one time in a thousand seeds, and this seed is fixed."""
    assert drawn_p_value("none") >= FALSE_ALARM


@pytest.mark.parametrize("fault", FAULTS)
def test_drawing_finds(fault: str, plant: Callable[[str], None]) -> None:
    """Each planted fault fails the same test."""
    plant(fault)
    assert drawn_p_value(fault) < FALSE_ALARM
