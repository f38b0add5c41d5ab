"""The acceptance rules on laws that are written down."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from scipy import stats

from scripted import Scripted
from speclab.backends.hf.source import TorchSource
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_greedy, accept_probability, accept_sample, bonus, one_hot, residual
from speclab.theory.enumerate import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import RandomSource


def tensor(values: Any) -> torch.Tensor:
    """In float64, as numpy has it."""
    return torch.from_numpy(np.array(values))


ARRAYS = pytest.mark.parametrize("array", [np.asarray, tensor], ids=["numpy", "torch"])
P = (0.10, 0.20, 0.05, 0.30, 0.05, 0.30)
Q = (0.30, 0.10, 0.20, 0.05, 0.25, 0.10)


def first_token(
    p: Any, q: Any, propose: Callable[[RandomSource], int] | None = None
) -> Callable[[RandomSource], int]:
    """One proposal from q (or as `propose` says), checked against p: the first committed token."""

    def run(source: RandomSource) -> int:
        token = source.choose(q, 0) if propose is None else propose(source)
        verdict = accept_sample(Proposals((token,), (q,)), (q,), (p, p), source)
        return token if verdict.accepted else verdict.token

    return run


@ARRAYS
def test_pieces(array: Callable[[Any], Any]) -> None:
    """min(1, p/q); the normalised positive part of p - q; p itself."""
    p, q = array([0.1, 0.2, 0.7]), array([0.5, 0.3, 0.2])
    assert [float(accept_probability(p, q, token)) for token in range(3)] == pytest.approx([0.2, 2 / 3, 1.0])
    assert accept_probability(p, q, array([2, 0])).tolist() == pytest.approx([1.0, 0.2])
    assert residual(p, q).tolist() == pytest.approx([0, 0, 1])
    assert residual(array([0.5, 0.4, 0.1]), array([0.2, 0.2, 0.6])).tolist() == pytest.approx([0.6, 0.4, 0])
    assert bonus(p) is p
    assert one_hot(p, 1).tolist() == [0, 1, 0]
    assert p.tolist() == pytest.approx([0.1, 0.2, 0.7])


@ARRAYS
def test_zero_residual_falls_back_to_p(array: Callable[[Any], Any]) -> None:
    """Where the two laws agree, or differ by a rounding, or hold NaN, nothing is divided by nothing."""
    p = array([0.0, 0.25, 0.75])
    assert residual(p, p).tolist() == p.tolist()
    ulp = array([0.0, np.nextafter(0.25, 1), np.nextafter(0.75, 0)])
    nearly = residual(p, ulp).tolist()
    assert nearly[0] == 0
    assert sum(nearly) == pytest.approx(1)
    assert residual(p, array([0.0, np.nextafter(0.25, 1), 0.75])).tolist() == p.tolist()
    assert residual(p, array([0.0, np.nan, 0.75])).tolist() == p.tolist()
    certain = array([0.0, 1.0, 0.0])
    forced = Scripted([1, 1])  # a rejection that has probability zero, then the correction
    assert accept_sample(Proposals((1,), (certain,)), (certain,), (certain, certain), forced).token == 1
    assert forced.laws == [[1.0, 0.0], [0.0, 1.0, 0.0]]


@ARRAYS
def test_greedy_keeps_the_leading_run(array: Callable[[Any], Any]) -> None:
    """Proposals stand while they are the likeliest; the target adds one; ties go to the lowest."""
    rows = array([[0.0, 2.0, 1.0], [3.0, 0.0, 3.0], [0.0, 1.0, 2.0], [5.0, 5.0, 5.0]])
    assert accept_greedy(Proposals((1, 0, 2)), rows).accepted == 3
    assert accept_greedy(Proposals((1, 0, 2)), rows).token == 0
    assert accept_greedy(Proposals((1, 2, 2)), rows) == accept_greedy(Proposals((1, 1, 1)), rows)
    assert accept_greedy(Proposals((1, 2, 2)), rows).accepted == 1
    assert accept_greedy(Proposals((1, 2, 2)), rows).token == 0
    assert accept_greedy(Proposals((2,)), rows[:2]).token == 1
    assert accept_greedy(Proposals(), rows[:1]).token == 1


@ARRAYS
def test_counted_law_is_the_target_s(array: Callable[[Any], Any]) -> None:
    """Every outcome counted: whatever the draft's law, the committed token follows p."""
    p, q = array(P), array(Q)
    law = walk(first_token(p, q))
    assert [law[token] for token in range(6)] == pytest.approx(P, abs=1e-12)


def test_rows_are_those_of_the_rejection() -> None:
    """Two proposals, another law at each position: a row that is off by one would show."""
    p = [np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.1, 0.8]), np.array([0.3, 0.4, 0.3])]
    q = [np.array([0.2, 0.5, 0.3]), np.array([0.5, 0.4, 0.1])]

    def run(source: RandomSource) -> tuple[int, ...]:
        tokens = tuple(source.choose(law, 0) for law in q)
        verdict = accept_sample(Proposals(tokens, tuple(q)), q, p, source)
        return (*tokens[: verdict.accepted], verdict.token)

    law = walk(run)
    first = [sum(weight for ids, weight in law.items() if ids[0] == token) for token in range(3)]
    assert first == pytest.approx(p[0])
    second: dict[int, float] = dict.fromkeys(range(3), 0.0)
    for ids, weight in law.items():
        if len(ids) > 1:
            second[ids[1]] += weight
    # A second token is in here only after an accepted first one, and then it follows the second row.
    assert [second[token] / sum(second.values()) for token in range(3)] == pytest.approx(p[1])
    third: dict[int, float] = dict.fromkeys(range(3), 0.0)
    for ids, weight in law.items():
        if len(ids) > 2:
            third[ids[2]] += weight
    assert [third[token] / sum(third.values()) for token in range(3)] == pytest.approx(p[2])


def test_laws_must_be_those_drawn_from() -> None:
    """An argmax draft with a softmax ratio, and a q from before top-k, are wrong by amounts that are known."""
    p, q = np.array([0.2, 0.8]), np.array([0.6, 0.4])
    argmax = walk(first_token(p, q, lambda _: 0))
    assert argmax[0] == pytest.approx(1 / 3)

    def chosen(source: RandomSource) -> int:
        verdict = accept_sample(Proposals((0,)), None, (p, p), source)
        return 0 if verdict.accepted else verdict.token

    assert walk(chosen)[0] == pytest.approx(0.2)
    raw, filtered = np.array([0.4, 0.3, 0.2, 0.1]), np.array([4 / 7, 3 / 7, 0, 0])
    even = np.array([0.5, 0.5, 0, 0])
    wrong = walk(first_token(even, raw, lambda source: source.choose(filtered, 0)))
    assert wrong[0] == pytest.approx(4 / 7, abs=1e-3)
    assert walk(first_token(even, filtered))[0] == pytest.approx(0.5)


def test_ratios_of_zero_and_one_are_certain() -> None:
    """A token with p = 0 never stands, one with p >= q always does, at either end of the generator's range."""
    p, q = np.array([0.0, 0.6, 0.4]), np.array([0.3, 0.3, 0.4])
    for token, outcome in ((0, 1), (1, 0), (2, 0)):
        asked = Scripted([outcome, 1])
        accept_sample(Proposals((token,), (q,)), (q,), (p, p), asked)
        assert asked.laws[0] == [1.0 - outcome, float(outcome)]


def test_positions_name_the_token_that_is_decided() -> None:
    """Acceptance and correction of proposal i both belong to position + i; the bonus to position + k."""
    p, q = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    asked = Scripted([0, 1, 0])
    accept_sample(Proposals((0, 0, 0), (q, q, q)), (q, q, q), (p, p, p, p), asked, position=7)
    assert asked.positions == [7, 8, 8]
    asked = Scripted([0, 1])
    accept_sample(Proposals((0,), (q,)), (q,), (p, p), asked, position=7)
    assert asked.positions == [7, 8]


def test_drawn_law_is_the_target_s() -> None:
    """20,000 draws over six tokens through torch's generator: false alarm one in a thousand, the seed is fixed."""
    source = TorchSource(7)
    draws = 20_000
    run = first_token(tensor(P), tensor(Q))
    counts = Counter(run(source) for _ in range(draws))
    observed = [counts[token] for token in range(6)]
    assert stats.chisquare(observed, [weight * draws for weight in P]).pvalue >= 1e-3


def test_torch_and_numpy_decide_alike() -> None:
    """The same decisions on the same laws, draw for draw."""
    outcomes = []
    for array in (tensor, np.asarray):
        source = TorchSource(11)
        run = first_token(array(P), array(Q))
        outcomes.append([run(_Both(source)) for _ in range(300)])
    assert outcomes[0] == outcomes[1]


class _Both:
    """Torch's source, for arrays of numpy too."""

    def __init__(self, source: TorchSource) -> None:
        self._source = source

    def choose(self, law: Any, position: int) -> int:
        return self._source.choose(law if isinstance(law, tuple) else torch.as_tensor(law), position)


def test_proposals_need_a_law_each() -> None:
    """Drawn tokens without the laws that they were drawn from are refused."""
    with pytest.raises(ValueError, match="each drawn token needs its law"):
        Proposals((1, 2), (np.ones(3),))
