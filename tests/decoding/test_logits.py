"""Logits that cannot decide a token: the target's stop the run with the position, the draft's mean no proposal."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from scripted import Never
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.source import TorchSource
from speclab.backends.table import NumpySource
from speclab.decoding.generation import collect
from speclab.decoding.logits import finite_peak, require_finite
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.protocols import LogitsError
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.errors import CheckError
from tables import counting, spoiled
from tiny import tiny_llama

if TYPE_CHECKING:
    from speclab.backends.table import TableModel
    from speclab.decoding.generation import Generation

NAN, INF = math.nan, math.inf
BAD_ROWS = {
    "NaN first": [NAN, 1.0],
    "NaN inside": [0.0] * 5 + [NAN],
    "NaN last": [0.0] * 39 + [NAN],
    "all NaN": [NAN] * 40,
    "one +inf": [1.0, INF],
    "NaN and +inf": [INF, NAN],
    "no finite entry": [-INF] * 40,
}
SAMPLINGS = {"greedy": GREEDY, "sampled": Sampling(temperature=0.05)}
"""The second draws what the first takes, up to a chance of e^-100."""


def decode(target: TableModel, draft: TableModel, sampling: Sampling, k: int = 4, tokens: int = 12) -> Generation:
    """From token 1 on."""
    return collect(
        speculative(
            target,
            DraftModel(draft),
            [1],
            k=k,
            sampling=sampling,
            source=Never() if sampling.greedy else NumpySource(0),
            max_new_tokens=tokens,
        )
    )


@pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS)
@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
@pytest.mark.parametrize("k", [0, 1, 4])
def test_target_stops_with_the_position(row: list[float], sampling: Sampling, k: int) -> None:
    """The row after token 7 decides position 7 of the sequence 1, 2, 3 …; no token is made up for it."""
    with pytest.raises(LogitsError, match="position 7 hold NaN, \\+inf or no finite entry") as raised:
        decode(spoiled(40, {7: row}), counting(), sampling, k)
    assert raised.value.position == 7
    assert isinstance(raised.value, CheckError)


@pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS)
@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_draft_proposes_nothing(row: list[float], sampling: Sampling) -> None:
    """The output goes on as it should, the iteration has the proposals from before the bad row."""
    result = decode(counting(), spoiled(40, {4: row}), sampling)
    assert result.ids == tuple(range(2, 14))
    assert [len(each.proposed) for each in result.iterations[:3]] == [3, 4, 2]
    assert [each.complete for each in result.iterations[:3]] == [False, True, False]


@pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS)
def test_rows_behind_a_rejection_are_not_judged(sampling: Sampling) -> None:
    """Plain decoding never meets the rows that follow a wrong guess, so they stop nothing."""
    target = spoiled(40, {20: [NAN]})
    draft = spoiled(40, {token: [0.0] * 20 + [5.0] for token in range(1, 19)})
    assert decode(target, draft, sampling).ids == tuple(range(2, 14))


def test_minus_infinity_alone_is_no_fault() -> None:
    """Tokens that a model forbids are never drawn, and the others decide."""
    row = [-INF] * 40
    row[9] = 0.0
    result = decode(spoiled(40, {3: row}), counting(), Sampling(temperature=1.0), tokens=30)
    ids = (1, *result.ids)
    assert all(after == 9 for before, after in pairwise(ids) if before == 3)


@pytest.mark.parametrize("array", [np.array, torch.tensor], ids=["numpy", "torch"])
def test_one_argmax_finds_every_fault(array: Any) -> None:
    """In both kinds of array, and the position is that of the first bad row."""
    for row in BAD_ROWS.values():
        assert not finite_peak(array(row))[1]
    assert finite_peak(array([-INF, 2.0, 2.0])) == (1, True)
    good = [0.0] * 40
    require_finite(array([good, good]), (0, 0), 3)
    with pytest.raises(LogitsError) as raised:
        require_finite(array([good, good, BAD_ROWS["NaN last"], BAD_ROWS["all NaN"]]), (0, 0, 39, 0), 3)
    assert raised.value.position == 5


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.0)], ids=["greedy", "sampled"])
def test_float16_overflow_stops_the_run(sampling: Sampling) -> None:
    """Logits past 65504 are infinite in float16; the run says so and emits nothing."""
    model = tiny_llama(sharpness=70_000.0, dtype=torch.float16)
    target = HFModel(model)
    assert bool(target.fork().feed([1, 2]).isinf().any())
    iterations = speculative(
        target,
        DraftModel(HFModel(tiny_llama())),
        [1, 2],
        k=2,
        sampling=sampling,
        source=TorchSource(0),
        max_new_tokens=4,
    )
    with pytest.raises(LogitsError, match="position 2 "):
        next(iterations)


def test_float16_just_below_is_finite() -> None:
    """Logits near the largest float16 give laws without NaN, computed in float32."""
    row = torch.tensor([6e4, 5.9e4, -6e4], dtype=torch.float16)
    law = HFModel(tiny_llama()).law(row, Sampling(temperature=0.5, top_k=2))
    assert law.dtype == torch.float32
    assert law.tolist() == [1.0, 0.0, 0.0]
