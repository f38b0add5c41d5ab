"""The walk over all outcomes, on procedures whose law is known by hand."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from speclab.backends.table import TableModel
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import Sampling
from speclab.errors import CheckError
from speclab.theory.enumerate import joint_law, law_distance, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from speclab.decoding.protocols import RandomSource

SAMPLING = Sampling(temperature=1.0)


def test_two_independent_decisions() -> None:
    """Each pair has the product of its probabilities, whatever carries the law."""

    def run(source: RandomSource) -> tuple[int, int]:
        return source.choose((0.25, 0.75), 0), source.choose(np.array([0.5, 0.2, 0.3]), 1)

    law = walk(run)
    expected = {(a, b): (0.25, 0.75)[a] * (0.5, 0.2, 0.3)[b] for a, b in itertools.product(range(2), range(3))}
    assert law == pytest.approx(expected, abs=1e-15)


def test_results_that_meet_are_added() -> None:
    """The number of heads in ten throws is binomial, and 1,024 paths are walked for it."""
    paths = 0

    def run(source: RandomSource) -> int:
        nonlocal paths
        paths += 1
        return sum(source.choose((0.4, 0.6), position) for position in range(10))

    law = walk(run)
    assert paths == 1024
    assert law == pytest.approx({h: math.comb(10, h) * 0.6**h * 0.4 ** (10 - h) for h in range(11)}, abs=1e-14)


def test_depth_depends_on_the_outcome() -> None:
    """A run may stop early on some paths: the first head within three throws."""

    def run(source: RandomSource) -> int:
        return next((n for n in range(3) if source.choose((0.5, 0.5), n) == 1), 3)

    assert walk(run) == {3: 0.125, 2: 0.125, 1: 0.25, 0: 0.5}


def test_zero_probability_is_never_visited() -> None:
    """Impossible outcomes are not run, not even once, at either end or in the middle of a law."""
    seen: list[int] = []

    def run(source: RandomSource) -> int:
        seen.append(source.choose((0.0, 0.5, 0.0, 0.5, 0.0), 0))
        return seen[-1]

    assert walk(run) == {1: 0.5, 3: 0.5}
    assert seen == [1, 3]


def test_without_any_decision() -> None:
    """A run that asks for nothing has one path of probability 1."""
    assert walk(lambda _: "only") == {"only": 1.0}


def test_torch_laws() -> None:
    """A float64 tensor serves as a law, without theory importing torch."""
    torch = pytest.importorskip("torch")
    law = torch.tensor([0.1, 0.0, 0.9], dtype=torch.float64)
    assert walk(lambda source: source.choose(law, 0)) == {0: 0.1, 2: 0.9}


def test_a_law_that_is_not_normalised_is_found() -> None:
    """A total of 1 - 1e-8 is refused, as laws in float32 would give it."""
    with pytest.raises(CheckError, match="add up to"):
        walk(lambda source: source.choose((0.5, 0.5 - 1e-8), 0))
    with pytest.raises(CheckError, match="add up to"):
        joint_law(lambda _: (0.5, 0.5 + 1e-8), 1)
    assert walk(lambda source: source.choose((0.5, 0.5 - 1e-11), 0))


@pytest.mark.parametrize("law", [(0.5, math.nan), (-0.5, 1.5), (math.inf, 0.0), (0.0, 0.0), ()])
def test_what_is_no_law_is_named_with_its_position(law: tuple[float, ...]) -> None:
    """NaN, negative, infinite, all zero and empty laws stop the walk."""
    with pytest.raises(CheckError, match="position 7"):
        walk(lambda source: source.choose(law, 7))


def test_a_long_law_is_shown_in_part() -> None:
    """The message stays one short line at any vocabulary."""
    with pytest.raises(CheckError, match=r"not one: \[0, 0, 0, 0, 0, 0, 0, 0, …\]$"):
        walk(lambda source: source.choose((0.0,) * 9, 0))
    with pytest.raises(CheckError, match=r"not one: \[0, 0, 0, 0, 0, 0, 0, 0\]$"):
        walk(lambda source: source.choose((0.0,) * 8, 0))


def test_state_between_paths_is_found() -> None:
    """A run that carries state from one path to the next (a cache not rebuilt) is refused, not averaged."""
    carried: list[int] = []

    def other_law(source: RandomSource) -> int:
        carried.append(0)
        return source.choose((0.5, 0.5) if len(carried) % 2 else (0.4, 0.6), 0)

    with pytest.raises(CheckError, match="not deterministic"):
        walk(other_law)

    def fewer_decisions(source: RandomSource) -> int:
        carried.append(0)
        first = source.choose((0.5, 0.5), 0)
        return first if len(carried) > 1 else source.choose((0.5, 0.5), 1)

    carried.clear()
    with pytest.raises(CheckError, match="ended after"):
        walk(fewer_decisions)


def test_joint_law_is_the_chain_rule() -> None:
    """Two steps of a table with a zero in it, by hand; no tokens asked, one empty sequence."""
    table = np.array([[0.3, 0.7], [1.0, 0.0]])

    def step(prefix: tuple[int, ...]) -> NDArray[np.float64]:
        row: NDArray[np.float64] = table[prefix[-1] if prefix else 0]
        return row

    assert joint_law(step, 2) == pytest.approx({(0, 0): 0.09, (0, 1): 0.21, (1, 0): 0.7}, abs=1e-15)
    assert joint_law(step, 0) == {(): 1.0}


def test_law_distance() -> None:
    """Half the absolute differences, over results of either law."""
    assert law_distance({"a": 0.7, "b": 0.3}, {"a": 0.6, "c": 0.4}) == pytest.approx(0.4)
    assert law_distance({"a": 1.0}, {"a": 1.0}) == 0


def _models() -> tuple[Callable[[], TableModel], Callable[[], TableModel]]:
    generator = np.random.default_rng(3)
    target, draft = generator.normal(size=(2, 3, 3)) * 1.5
    return (lambda: TableModel(target)), (lambda: TableModel(draft))


def test_the_shipped_loop_has_the_exact_law() -> None:
    """Speculation and plain decoding of three tokens over a vocabulary of three agree with the chain rule."""
    target, draft = _models()

    def speculated(source: RandomSource) -> tuple[int, ...]:
        iterations = speculative(
            target(), DraftModel(draft()), [0], k=2, sampling=SAMPLING, source=source, max_new_tokens=3
        )
        return tuple(token for each in iterations for token in each.committed)

    def plainly(source: RandomSource) -> tuple[int, ...]:
        iterations = plain(target(), [0], sampling=SAMPLING, source=source, max_new_tokens=3)
        return tuple(token for each in iterations for token in each.committed)

    def step(prefix: tuple[int, ...]) -> NDArray[np.float64]:
        model = target()
        return model.law(model.feed([0, *prefix])[-1], SAMPLING)

    exact = joint_law(step, 3)
    assert len(exact) == 27
    assert walk(plainly) == pytest.approx(exact, abs=1e-12)
    assert law_distance(walk(speculated), exact) < 1e-12
