"""The shipped loop over the joint law of three tokens, from each source of random numbers."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pytest

from calibrated import SEEDS, check_alarms, check_power
from speclab.backends.hf.source import PositionSource, TorchSource
from speclab.backends.table import NumpySource, TableModel
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import Sampling
from speclab.experiments.rules import RULES
from speclab.theory.enumerate import joint_law, law_distance, walk
from speclab.theory.goodness import chi_square
from speclab.theory.power import draws_needed, power

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from speclab.decoding.protocols import RandomSource
    from speclab.records.rows import Rule

    Law = NDArray[np.float64]

pytestmark = [pytest.mark.calibration, pytest.mark.timeout(1200)]

VOCABULARY, TOKENS, K = 4, 3, 2
PROMPT = [0]
SAMPLING = Sampling(1.0)
FALSE_ALARM = 0.001
RUNS = 300
"""Of the loop in one test: enough for a third of the 64 outcomes to be expected five times."""
FEWER = SEEDS[:300]
"""For the wrong rules, which take more runs a test."""


class Known(TableModel):
    """A table whose laws are made once: most of a run's time would go into the same few exponentials."""

    laws: dict[bytes, Law]

    def law(self, row: Law, sampling: Sampling) -> Law:
        """The law of a row, from the first time that it was asked for."""
        name = row.tobytes()
        if name not in self.laws:
            self.laws[name] = super().law(row, sampling)
        return self.laws[name]


@cache
def tables() -> tuple[Law, Law, dict[bytes, Law]]:
    """Logits of a target and of a draft, and room for the laws of both."""
    dice = np.random.default_rng(7)
    logits = 0.5 * dice.normal(size=(VOCABULARY, VOCABULARY))
    return logits, logits + dice.normal(size=logits.shape), {}


def once(rule: Rule, source: RandomSource) -> tuple[int, ...]:
    """One run of the loop from empty caches."""
    target, draft = (Known(each) for each in tables()[:2])
    target.laws = draft.laws = tables()[2]
    iterations = speculative(
        target,
        DraftModel(draft),
        PROMPT,
        k=K,
        sampling=SAMPLING,
        source=source,
        rule=RULES[rule].sample,
        max_new_tokens=TOKENS,
    )
    return collect(iterations).ids


def vector(law: dict[tuple[int, ...], float]) -> Law:
    """A law of outcomes as an array, in the order of `number`."""
    found = np.zeros(VOCABULARY**TOKENS)
    for ids, chance in law.items():
        found[number(ids)] = chance
    return found


def number(ids: tuple[int, ...]) -> int:
    """The tokens read as a number."""
    return int(np.ravel_multi_index(ids, (VOCABULARY,) * TOKENS))


@cache
def exact() -> Law:
    """The target's joint law, by the chain rule."""

    def step(tokens: tuple[int, ...]) -> Law:
        table = TableModel(tables()[0])
        return table.law(table.feed([*PROMPT, *tokens])[-1], SAMPLING)

    return vector(joint_law(step, TOKENS))


def p_values(
    rule: Rule, runs: int, sources: Callable[[int], Iterator[RandomSource]], seeds: Sequence[int]
) -> NDArray[np.float64]:
    """One test a seed, each of so many runs of the loop."""
    found = []
    for seed in seeds:
        outcomes = [number(once(rule, source)) for _, source in zip(range(runs), sources(seed), strict=False)]
        found.append(chi_square(np.bincount(outcomes, minlength=VOCABULARY**TOKENS), exact()).p_value)
    return np.array(found, dtype=np.float64)


def numpy_stream(seed: int) -> Iterator[RandomSource]:
    """One stream that goes on from run to run."""
    source = NumpySource(seed)
    while True:
        yield source


def torch_stream(seed: int) -> Iterator[RandomSource]:
    """The same with torch's generator."""
    source = TorchSource(seed)
    while True:
        yield source


def tied_to_positions(seed: int) -> Iterator[RandomSource]:
    """Another seed for each run, since one source serves one generation."""
    return (PositionSource(RUNS * seed + run) for run in count())


@pytest.mark.parametrize("sources", [numpy_stream, torch_stream, tied_to_positions])
def test_the_loop_alarms_as_often_as_stated(
    sources: Callable[[int], Iterator[RandomSource]], found: Callable[[str], None]
) -> None:
    """Corrections, bonus tokens and second iterations all have a part in three tokens."""
    found(check_alarms(p_values("ratio", RUNS, sources, SEEDS)))


@pytest.mark.parametrize("aim", [0.5, 0.99])
@pytest.mark.parametrize("rule", ["fresh_draw", "draft_kept"])
def test_a_wrong_rule_in_the_loop_is_seen_as_often_as_its_power_says(
    rule: Rule, aim: float, found: Callable[[str], None]
) -> None:
    """Its joint law comes from a walk over all outcomes of the loop itself."""
    walked = walk(lambda source: once(rule, source))
    wrong = vector(walked)
    draws = draws_needed(exact(), wrong, false_alarm=FALSE_ALARM, power=aim)
    assert draws is not None
    computed = power(exact(), wrong, draws=draws, false_alarm=FALSE_ALARM)
    line = check_power(p_values(rule, draws, numpy_stream, FEWER), FALSE_ALARM, computed)
    apart = law_distance(dict(enumerate(wrong)), dict(enumerate(exact())))
    found(f"total variation {apart:.3f}, {draws:,} runs: {line}")
