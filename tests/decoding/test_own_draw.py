"""Sampling with numbers that are tied to positions: plain decoding's text, and the law of every rule."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import torch
from scipy import stats

from drafts import drafts, plain_sampled
from speclab import Sampling, plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import PositionSource
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_own_draw, accept_sample
from speclab.decoding.sampling import GREEDY
from speclab.theory.enumerate import joint_law, walk
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from speclab.decoding.protocols import RandomSource

MODEL = tiny_llama(36, vocabulary=48, layers=1, hidden=16)
DRAFTS = drafts(MODEL)
PROMPT = [1, 2, 3]
TOKENS = 12
SEEDS = range(4)
FALSE_ALARM = 1e-3


class Noting(PositionSource):
    """Keeps the positions that it was asked about."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.positions: list[int] = []

    def choose(self, law: Any, position: int) -> int:
        self.positions.append(position)
        return super().choose(law, position)


@cache
def plain(seed: int, temperature: float) -> tuple[int, ...]:
    sampling = Sampling(temperature=temperature)
    return plain_generate(MODEL, PROMPT, sampling=sampling, source=PositionSource(seed), max_new_tokens=TOKENS).ids


def guessed(draft: str, k: int, seed: int, temperature: float = 1.0, **options: Any) -> tuple[int, ...]:
    """With proposals that are chosen and not drawn."""
    asked: Any = {"rule": accept_own_draw, "source": PositionSource(seed), "draft_sampling": GREEDY} | options
    sampling = Sampling(temperature=temperature)
    return speculative_generate(
        MODEL, DRAFTS[draft], PROMPT, k=k, sampling=sampling, max_new_tokens=TOKENS, **asked
    ).ids


def test_plain_decoding_draws_once_a_position() -> None:
    """Its text is that of sampling written apart; seeds and temperatures matter."""
    for seed in SEEDS:
        due = plain_sampled(MODEL, PROMPT, TOKENS, [], PositionSource(seed))
        source = Noting(seed)
        found = plain_generate(
            MODEL, PROMPT, sampling=Sampling(temperature=1.0), source=source, max_new_tokens=TOKENS
        )
        assert found.ids == due == plain(seed, 1.0)
        assert source.positions == list(range(len(PROMPT), len(PROMPT) + TOKENS))
    assert len({plain(seed, temperature) for seed in SEEDS for temperature in (0.7, 1.3)}) == 2 * len(SEEDS)


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("draft", DRAFTS)
def test_chosen_proposals_give_plain_s_text(draft: str, k: int) -> None:
    """Token for token: every position is decided once, by its own number."""
    for seed, temperature in zip(SEEDS, (0.7, 1.0, 1.3, 0.7), strict=True):
        source = Noting(seed)
        assert guessed(draft, k, seed, temperature, source=source) == plain(seed, temperature)
        assert source.positions == list(range(len(PROMPT), len(PROMPT) + TOKENS))


def test_other_rules_and_drawn_proposals_give_other_texts() -> None:
    """The ratio rule spends numbers on its yes and no, a drawn proposal the position's first one."""
    due = [plain(seed, 1.0) for seed in SEEDS]
    assert [guessed("disturbed", 3, seed, rule=accept_sample) for seed in SEEDS] != due
    assert [guessed("disturbed", 3, seed, draft_sampling=None) for seed in SEEDS] != due


VOCABULARY, WALKED, LAW_PROMPT = 2, 3, [0, 1]
TARGET, DRAFT = (
    tiny_llama(seed, vocabulary=VOCABULARY, layers=1, hidden=16, sharpness=1.0, dtype=torch.float64)
    for seed in (1, 10)
)


@pytest.mark.parametrize("draft_sampling", [GREEDY, Sampling(temperature=1.4)], ids=["chosen", "drawn"])
@pytest.mark.parametrize("rule", [accept_own_draw, accept_sample])
def test_the_law_is_exact(rule: Any, draft_sampling: Sampling) -> None:
    """Of either rule, with proposals of either kind, every outcome counted, to 1e-9."""
    sampling = Sampling(temperature=0.8)

    def run(source: RandomSource) -> tuple[int, ...]:
        return speculative_generate(
            HFModel(TARGET),
            HFModel(DRAFT),
            LAW_PROMPT,
            k=2,
            sampling=sampling,
            draft_sampling=draft_sampling,
            rule=rule,
            source=source,
            max_new_tokens=WALKED,
        ).ids

    def step(decided: tuple[int, ...]) -> torch.Tensor:
        return (full_logits(TARGET, [*LAW_PROMPT, *decided])[-1] / sampling.temperature).softmax(-1)

    counted, due = walk(run), joint_law(step, WALKED)
    assert set(counted) == set(due)
    assert max(abs(counted[each] - due[each]) for each in due) < 1e-9


P, Q = torch.tensor([0.2, 0.8]), torch.tensor([0.6, 0.4])


def first_token(source: RandomSource) -> int:
    """A proposal drawn from Q and checked against P by the ratio rule: up to three decisions at one position."""
    proposal = source.choose(Q, 3)
    verdict = accept_sample(Proposals((proposal,), (Q,)), (Q,), (P, P), source, 3)
    return proposal if verdict.accepted else verdict.token


def test_one_number_in_two_decisions_would_break_the_law() -> None:
    """Why a position that is asked again gets another: proposal and verdict by one number favour the draft."""

    class Tied(PositionSource):
        def __init__(self, u: float) -> None:
            super().__init__(0)
            self._u = u

        def _uniform(self, position: int) -> float:  # noqa: ARG002
            return self._u

    share = sum(first_token(Tied((step + 0.5) / 600)) == 0 for step in range(600)) / 600
    assert share == pytest.approx(1 / 3, abs=2e-3)  # and not .2
    counts = [0, 0]
    for seed in range(1500):
        counts[first_token(PositionSource(seed))] += 1
    assert stats.chisquare(counts, [300, 1200]).pvalue > FALSE_ALARM


def number(source: PositionSource, position: int) -> int:
    """Sixteen bits of the number that a decision takes: where it falls among equal outcomes."""
    return source.choose(torch.full((1 << 16,), 2.0**-16), position)


def test_numbers_hang_on_seed_and_position_alone() -> None:
    """Whatever was asked before elsewhere; a position that is asked again gets others."""
    source = PositionSource(7)
    forward = [number(source, position) for position in range(20)]
    again = [number(source, position) for position in range(20)]
    source = PositionSource(7)
    backward = [number(source, position) for position in reversed(range(20))]
    assert backward[::-1] == forward
    assert len({*forward, *again, *(number(PositionSource(8), position) for position in range(20))}) == 60


def test_numbers_are_the_same_on_every_machine() -> None:
    """Pinned: the first and the second number of two positions, for three seeds: sixteen bits of a digest."""
    found = {}
    for seed in (0, 7, -1):
        source = PositionSource(seed)
        found[seed] = [number(source, position) for position in (0, 0, 4096, 4096)]
    assert found == {
        0: [61624, 27411, 30677, 34335],
        7: [60731, 5711, 28078, 12486],
        -1: [48350, 29917, 21234, 23535],
    }
