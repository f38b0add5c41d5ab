"""Ties in the weights: output rows that are equal, or so near that bfloat16 rounds them together now and then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclab.experiments.divergence import Divergence
from speclab.experiments.recompute import spacing_at
from speclab.experiments.speed import Speed
from speclab.records.rows import DivergenceCell, SpeedCell
from tiny_pair import TWIN, Around, Turned, tiny, tiny_run, twins

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from small_session import SmallRun
    from speclab.decoding.protocols import Model
    from speclab.records.plan import Dtype
    from speclab.records.rows import Difference


def measured(pair: Callable[[Dtype], tuple[Model, Model]], **parts: Any) -> SmallRun:
    """A run of speed and divergence in bfloat16."""
    return tiny_run(pair, "bfloat16", **parts).run(Speed()).run(Divergence())


def differences(done: SmallRun) -> tuple[Difference, ...]:
    found = done.cells["divergence.p-1"]
    assert isinstance(found, DivergenceCell)
    return found.differences


def test_two_equal_output_rows_tie_alike_in_every_pass() -> None:
    """Every decision is a tie of two equal logits, and every arm takes the lower id: there is no difference."""
    done = measured(lambda dtype: (Around(twins(dtype)), tiny(dtype, noise=0.1)), speed={"ks": (1, 4)})
    blocks = [each for each in done.cells.values() if isinstance(each, SpeedCell)]
    assert max(token for block in blocks for arm in block.arms for token in arm.ids) < TWIN
    assert [each for each in differences(done) if abs(each.plain_token - each.arm_token) == TWIN] == []


def test_two_equal_output_rows_that_a_pass_rounds_apart_are_a_tie() -> None:
    """A pass over several tokens puts one of two equal logits one spacing higher, in bfloat16 alone."""

    def pair(dtype: Dtype) -> tuple[Model, Model]:
        target = Turned(twins(dtype))

        def change(row: Tensor, several: bool) -> Tensor:
            row = row.clone()
            if several and dtype == "bfloat16":
                row[TWIN:] += spacing_at(float(row.max()), dtype)
            return row

        target.change = change
        return target, tiny(dtype, noise=0.1)

    found = differences(measured(pair))
    assert {each.verdict for each in found} == {"tie"}
    for each in found:
        assert each.arm_token == each.plain_token + TWIN
        assert (each.gap, each.noise >= each.spacing) == (0.0, True)
        assert {way.plain_logit - way.arm_logit for way in each.float32} == {0.0}


def test_nearly_equal_output_rows_are_tied_by_rounding_itself() -> None:
    """Only weights are constructed: bfloat16 rounds two near logits together in one pass and not in another."""
    speed = {"ks": (1, 2, 4, 8), "new_tokens": 24}
    done = measured(lambda dtype: (Around(twins(dtype, 2**-8)), twins(dtype, 2**-8)), speed=speed)
    found = differences(done)
    if not found:
        pytest.skip("on this processor passes over one token and over several round alike: nothing differs")
    for each in found:
        near = abs(each.plain_token - each.arm_token) == TWIN
        assert each.verdict in ({"tie"} if near else {"tie", "shape numerics"})
