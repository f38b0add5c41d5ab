"""What a generation amounts to: counts, alpha, times, and its seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclab.backends.table import NumpySource
from speclab.decoding.generation import Gathered, collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling
from tables import count, counting, spoiled

if TYPE_CHECKING:
    from collections.abc import Generator

    from speclab.decoding.iterations import Finish, Iteration


def test_counting_by_hand() -> None:
    """One guess of the draft is wrong: tokens per iteration and alpha as counted on paper."""
    rows = {12: [0.0] * 21 + [5.0]}  # after 12 it says 21
    result = count([10], 2, 9, draft=spoiled(40, rows))
    assert [each.accepted for each in result.iterations] == [2, 2, 2]
    result = count([11], 2, 8, draft=spoiled(40, rows))
    assert [each.accepted for each in result.iterations] == [1, 2, 2]
    assert [len(each.committed) for each in result.iterations] == [2, 3, 3]
    assert result.alpha == pytest.approx(5 / 6)
    assert result.tokens_per_iteration == pytest.approx(8 / 3)


def test_sampled_output_repeats_with_its_seed() -> None:
    """The same seed and configuration give the same tokens, another seed others."""

    def drawn(seed: int) -> tuple[int, ...]:
        iterations = speculative(
            counting(),
            DraftModel(counting(step=2)),
            [1],
            k=3,
            sampling=Sampling(temperature=2.0),
            source=NumpySource(seed),
            max_new_tokens=20,
        )
        return collect(iterations).ids

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(5)}) == 5


def test_iterations_can_be_looked_at_on_the_way() -> None:
    """Each comes before the next is decoded; together they are what `collect` makes of them."""
    target = counting()

    def iterations() -> Generator[Iteration, None, Finish]:
        arguments: dict[str, Any] = {"sampling": GREEDY, "source": NumpySource(0), "max_new_tokens": 7}
        return speculative(target, DraftModel(counting()), [1], k=2, **arguments)

    gathered = Gathered(iterations(), prefill_ns=5)
    seen: list[Iteration] = []
    for step in gathered:
        seen.append(step)
        assert target.length == step.target_length
        assert not hasattr(gathered, "generation")
    target = counting()
    whole = collect(iterations(), prefill_ns=5)
    assert gathered.generation.ids == whole.ids == tuple(range(2, 9))
    assert gathered.generation.iterations == tuple(seen)
    assert (gathered.generation.finish, gathered.generation.prefill_ns) == (whole.finish, 5)


class _Ticking:
    """A clock that moves by one more nanosecond with every mark."""

    def __init__(self) -> None:
        self.marks = 0
        self.waits = 0

    def mark(self) -> int:
        self.marks += 1
        return self.marks**2

    def between(self, start: int, end: int) -> int:
        return end - start

    def synchronize(self) -> None:
        self.waits += 1


def test_every_nanosecond_belongs_to_a_part() -> None:
    """Six marks an iteration, no wait; draft, check, rule, rollback and the rest add up to the whole."""
    clock = _Ticking()
    result = collect(
        speculative(
            counting(),
            DraftModel(counting()),
            [1],
            k=2,
            sampling=GREEDY,
            source=NumpySource(0),
            max_new_tokens=6,
            clock=clock,
        ),
        prefill_ns=7,
    )
    assert (clock.marks, clock.waits) == (12, 0)
    first, second = (each.spent() for each in result.iterations)
    # marks 1, 4, 9, 16, 25, 36: start, draft, check, rule, rollback, end
    assert (first.other, first.draft, first.verify, first.accept, first.rollback) == (3, 5, 7, 9, 11)
    assert (first.total, first.overhead) == (35, 23)
    assert second.total == 12**2 - 7**2
    assert (result.decode_ns, result.prefill_ns) == (first.total + second.total, 7)
