"""The law of the sampling loop with real tiny caches, run whole from empty caches: counted, and drawn.

`speclab.experiments.exactness` counts iteration by iteration and joins what ends alike. Here every outcome is a
whole run of its own, as a check of the former, and the generator has its part too.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import torch
from scipy import stats

from speclab.backends.hf.contents import content
from speclab.backends.hf.faults import OneTooLong, OneTooShort
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import TorchSource
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.prefill import prefill
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.rules import accept_sample
from speclab.decoding.sampling import Sampling
from speclab.experiments.exactness.law import output_law
from speclab.experiments.exactness.remembered import Memory
from speclab.experiments.exactness.wrong import ArgmaxDraft
from speclab.experiments.rules import draft_kept, fresh_draw
from speclab.theory.enumerate import joint_law, law_distance, walk
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import RandomSource

PROMPT = [0, 1]
SEEDS = {2: (1, 9), 3: (1, 10), 8: (1, 11)}
"""By vocabulary: of a target and a draft whose first laws are at least .2 apart."""
FULL = Sampling(temperature=1.0)
RULES = {"fresh draw": fresh_draw, "draft kept": draft_kept}
CACHES = {"target cache one too long": OneTooLong, "target cache one too short": OneTooShort}
FAULTS = (*RULES, "argmax draft", *CACHES)
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
    checking = Memory(CACHES.get(fault, HFModel)(target), content)
    guessing = Memory(HFModel(draft), content)
    proposer = ArgmaxDraft if fault == "argmax draft" else DraftModel

    def run(source: RandomSource) -> tuple[int, ...]:
        iterations = speculative(
            checking.start(),
            proposer(guessing.start()),
            PROMPT,
            k=k,
            sampling=sampling,
            source=source,
            rule=RULES.get(fault, accept_sample),
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


@pytest.mark.parametrize(("vocabulary", "k", "tokens"), [(3, 1, 2), (3, 2, 3), (3, 1, 4), (2, 2, 5)], ids=str)
def test_joint_law_is_exact(vocabulary: int, k: int, tokens: int) -> None:
    """Every sequence has its probability to 1e-9; k + 3 tokens let an iteration follow one that kept all."""
    counted = walk(runner(vocabulary, k, tokens, "none", FULL))
    due = exact(vocabulary, tokens, FULL)
    assert set(counted) == set(due)
    assert max(abs(counted[each] - due[each]) for each in due) < 1e-9


def test_joint_law_is_exact_under_top_k() -> None:
    """What the sampling cut never comes out, though the draft's law keeps other tokens than the target's."""
    sampling = Sampling(temperature=0.8, top_k=2)
    counted = walk(runner(3, 2, 4, "none", sampling))
    assert law_distance(counted, exact(3, 4, sampling)) < 1e-9
    assert len(counted) == 2**4


@pytest.mark.parametrize("fault", FAULTS)
def test_whole_runs_find(fault: str) -> None:
    """Each planted fault is far from the exact law."""
    counted = walk(runner(3, 1, 4, fault, FULL))
    assert law_distance(counted, exact(3, 4, FULL)) > 0.02


@pytest.mark.parametrize("fault", ["none", *FAULTS])
def test_joined_iterations_give_the_law_of_whole_runs(fault: str) -> None:
    """Joining paths that end alike changes nothing, with faults that stay in a cache neither."""
    target, draft = pair(3)
    checking, guessing = CACHES.get(fault, HFModel)(target), HFModel(draft)
    for model in (checking, guessing):
        prefill(model, PROMPT)
    walked = output_law(
        Memory(checking, content).start(),
        Memory(guessing, content).start(),
        PROMPT,
        make=ArgmaxDraft if fault == "argmax draft" else DraftModel,
        rule=RULES.get(fault, accept_sample),
        sampling=FULL,
        k=2,
        tokens=4,
    )
    whole = walk(runner(3, 2, 4, fault, FULL))
    assert set(walked.law) == set(whole)
    assert max(abs(walked.law[each] - whole[each]) for each in whole) < 1e-12


def drawn_p_value(fault: str) -> float:
    """P-value of 6,000 runs of three tokens over a vocabulary of eight; cells are pooled by what is expected."""
    run = runner(8, 2, 3, fault, FULL)
    source = TorchSource(2024)
    counts = Counter(run(source) for _ in range(DRAWS))
    due = exact(8, 3, FULL)
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
def test_drawing_finds(fault: str) -> None:
    """Each planted fault fails the same test."""
    assert drawn_p_value(fault) < FALSE_ALARM
