"""What passes cost: timed at two lengths, scaled to float32, and judged where a check is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from simulated_machine import SimulatedMachine, timed_pair
from speclab.backends.hf import pace
from speclab.backends.hf.pace import MATRICES, float32_ratio, largest_matrices
from speclab.backends.table import TableModel
from speclab.experiments.passes import Passes, in_float32, probe, slow_check
from tiny_pair import tiny

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_probe_leaves_the_model_as_it_was() -> None:
    """It works on a copy, and finds the line through both lengths."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine, target_ms=100.0)
    found = probe(target, (1, 2, 3), 33, lambda: machine.host / 1e9)
    assert target.length == 0
    assert found(1) == pytest.approx(0.1)
    assert found(17) == pytest.approx(0.1 * 1.32)
    assert found(65) == pytest.approx(0.1 * 2.28)


def test_probe_computes_all_rows() -> None:
    """As a check does: the output matrix is a large part of a pass, and one row of it would hide that.

    A draft needs the last row alone.
    """
    rows: list[int | None] = []

    class Asked(TableModel):
        def feed(self, ids: Sequence[int], *, last: int | None = None) -> Any:
            if self.length:
                rows.append(last)
            return super().feed(ids, last=last)

    probe(Asked(np.zeros((3, 3))), (1, 2), 5)
    assert set(rows) == {None}
    rows.clear()
    probe(Asked(np.zeros((3, 3))), (1, 2), 5, last=1)
    assert set(rows) == {1}


def test_probe_of_a_short_context() -> None:
    """A model with few positions is probed with shorter passes."""
    machine = SimulatedMachine()
    target, _ = timed_pair(machine, context=12)
    assert probe(target, (1, 2, 3), 33, lambda: machine.host / 1e9).length == 6


def test_passes_are_a_line() -> None:
    """Between the two lengths and beyond."""
    passes = Passes(one=1.0, many=3.0, length=5)
    assert [passes(n) for n in (1, 3, 5, 9)] == [1.0, 2.0, 3.0, 5.0]


def test_float32_is_scaled_at_both_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by its own ratio: on some processors float32 is slower on one row and faster on many."""
    monkeypatch.setattr(pace, "float32_ratio", lambda _, rows: {1: 2.0, 9: 0.5}[rows])
    assert in_float32(tiny("bfloat16"), Passes(1.0, 8.0, 9)) == Passes(2.0, 4.0, 9)


def test_float32_of_a_table_is_its_own() -> None:
    """Nothing is computed in another dtype."""
    target, _ = timed_pair(SimulatedMachine())
    assert in_float32(target, Passes(1.0, 8.0, 9)) == Passes(1.0, 8.0, 9)


@pytest.mark.parametrize(("rows", "ratio"), [(1, 2.0), (9, 0.5)])
def test_the_ratio_is_that_of_the_products(rows: int, ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a simulated processor, by its own clock; each product is made with all the rows and in its dtype."""
    now = [0.0]

    def linear(fed: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        assert fed.shape == (rows, weight.shape[1])
        assert fed.dtype == weight.dtype
        bfloat16 = 8.0 if len(fed) > 1 else 1.0
        now[0] += bfloat16 if fed.dtype == torch.bfloat16 else {1: 2.0, 9: 4.0}[rows]
        return torch.zeros(1, 1)

    monkeypatch.setattr(pace, "linear", linear)
    assert float32_ratio(tiny("bfloat16"), rows, lambda: now[0]) == ratio


def test_the_ratio_of_float32_to_itself() -> None:
    """Nothing is timed, so it is exactly one."""
    assert float32_ratio(tiny("float32"), 9) == 1.0


def test_real_products_have_a_ratio() -> None:
    """With the clock of this machine it is a number above zero, and the weights stay as they are."""
    model = tiny("bfloat16")
    assert float32_ratio(model, 9) > 0
    assert {each.dtype for each in model.model.parameters()} == {torch.bfloat16}


def test_the_largest_matrices_are_those_of_the_layers() -> None:
    """The matrices of tokens hold twice as much, and a pass over a prompt hardly needs them."""
    found = largest_matrices(tiny("bfloat16"))
    assert len(found) == MATRICES
    assert {tuple(each.shape) for each in found} == {(32, 32)}


def test_a_slow_check_is_told() -> None:
    """Nine tokens at more than five steps: the dtype, what follows, and what to do."""
    assert slow_check(Passes(1.0, 5.0, 9), "bfloat16") is None
    told = slow_check(Passes(0.2, 1.6, 9), "bfloat16")
    assert told is not None
    assert "\n" not in told
    assert "over 9 tokens takes as long as 8.0 over one" in told
    assert "no fast matrix product in bfloat16 over several rows" in told
    assert told.endswith("try --dtype float32 or another machine")


def test_a_slow_check_in_float32_needs_another_machine() -> None:
    """It is not told to take what it takes."""
    assert str(slow_check(Passes(1.0, 8.0, 9), "float32")).endswith("cannot pay; try another machine")
