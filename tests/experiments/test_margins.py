"""Margins on real tiny models: gaps, what the length of a pass changes, and the constructed tie."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from speclab.backends.table import TableModel
from speclab.errors import InputError
from speclab.experiments.margins import Margins
from speclab.records.rows import MarginsCell
from tiny import full_logits, plain_greedy
from tiny_pair import Around, Logged, Turned, tiny, tiny_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from speclab.decoding.protocols import Model
    from speclab.records.plan import Dtype
    from tiny_pair import TinyRun

PROMPT = (1, 2, 3, 4, 5, 6)
TOKENS = 12
SHIFT = 0.25


class Unused(Around):
    """A target that nothing may be fed to."""

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
        msg = f"the target was fed {ids}, {last}"
        raise AssertionError(msg)


def drafted(draft: Callable[[Dtype], Model]) -> Callable[[Dtype], tuple[Model, Model]]:
    """A pair with this draft."""
    return lambda dtype: (Unused(tiny(dtype)), draft(dtype))


def shifted(by: float) -> Callable[[Dtype], Model]:
    """A draft whose second logit is higher by so much in passes over several tokens."""

    def change(row: Tensor, several: bool) -> Tensor:
        row = row.clone()
        row[row.topk(2).indices[1]] += by * several
        return row

    def draft(dtype: Dtype) -> Model:
        model = Turned(tiny(dtype))
        model.change = change
        return model

    return draft


def run(draft: Callable[[Dtype], Model], **parts: Any) -> TinyRun:
    """A run whose margins are not yet measured."""
    margins = {"new_tokens": TOKENS, "lengths": (2, 5)} | parts.pop("margins", {})
    return tiny_run(drafted(draft), "bfloat16", margins=margins, **parts)


def cell(done: TinyRun, name: str = "p-1") -> MarginsCell:
    found = done.cells[f"margins.{name}"]
    assert isinstance(found, MarginsCell)
    return found


def test_a_gap_is_the_distance_of_the_two_largest_logits() -> None:
    """In each row that decides a token of the draft's greedy text in float32, against passes without a cache."""
    done = run(tiny).run(Margins())
    found = cell(done)
    assert (found.dtype, found.prompt_tokens, set(done.reloads)) == ("float32", len(PROMPT), {"float32"})
    ids = plain_greedy(tiny().model, PROMPT, TOKENS)
    rows = full_logits(tiny().model, (*PROMPT, *ids[:-1]))[len(PROMPT) - 1 :]
    ordered = rows.sort(-1).values
    assert found.gaps == pytest.approx((ordered[:, -1] - ordered[:, -2]).tolist(), abs=1e-4)
    assert found.spacing == np.spacing(np.float32(ordered[:, -2:].abs().max()))


def test_a_change_between_lengths_is_measured_with_its_sign() -> None:
    """A quarter more on the second logit closes every gap by a quarter, and the narrower ones fall otherwise."""
    found = cell(run(shifted(SHIFT)).run(Margins()))
    narrow = sum(gap < SHIFT for gap in found.gaps)
    assert 0 < narrow < TOKENS
    assert [shape.length for shape in found.shapes] == [2, 5]
    for shape in found.shapes:
        assert shape.gap_changes == pytest.approx([-SHIFT] * TOKENS, abs=1e-4)
        assert shape.largest_logit_change == pytest.approx(SHIFT, abs=1e-4)
        assert shape.flips == narrow


def test_the_same_tokens_are_fed_in_passes_of_each_length() -> None:
    """One token a pass first, then each length after the same prefill; the last pass takes what is left."""
    log: list[tuple[str, Any]] = []

    def draft(dtype: Dtype) -> Model:
        model = Logged(tiny(dtype))
        model.log = log
        return model

    run(draft).run(Margins())
    ids = plain_greedy(tiny().model, PROMPT, TOKENS)
    fed = [each for _, each in log]
    assert fed[0] == PROMPT[:-1]
    decoded = (PROMPT[-1], *ids[:-1])
    assert fed[1 : 1 + TOKENS] == [(each,) for each in decoded]
    rest = fed[1 + TOKENS :]
    assert [len(each) for each in rest] == [2] * 6 + [5, 5, 2]
    assert [token for each in rest for token in each] == [*decoded, *decoded]


@pytest.mark.parametrize("by", [1e-3, -1e-3, 1e-5])
def test_a_constructed_tie_is_decided_by_the_length_of_the_pass(by: float) -> None:
    """With the recorded bias, passes made again choose the recorded tokens, each its own; either way it moves."""
    draft = shifted(by)
    found = cell(run(draft).run(Margins()))
    tie = found.constructed.value
    assert tie is not None
    assert tie.gap == found.gaps[tie.row] == min(found.gaps)
    assert tie.bias in (tie.gap, pytest.approx(tie.gap - by, abs=1e-5))
    assert (tie.text, tie.other_text) == (f"<{tie.token}>", f"<{tie.other_token}>")
    ids = plain_greedy(tiny().model, PROMPT, TOKENS)
    assert {tie.token, tie.other_token} == {ids[tie.row], tie.biased}
    assert tie.token != tie.other_token
    for length, chosen in ((1, tie.token), (tie.length, tie.other_token)):
        model = draft("float32")
        model.feed(PROMPT[:-1])
        fed = (PROMPT[-1], *ids[:-1])
        rows = [row for start in range(0, TOKENS, length) for row in model.feed(fed[start : start + length])]
        row = rows[tie.row]
        row[tie.biased] += tie.bias
        assert int(row.argmax()) == chosen


def test_without_any_change_there_is_no_tie_to_construct() -> None:
    """A table gives the same row whatever the pass; the record says why nothing could be shown."""
    logits = np.random.default_rng(1).normal(size=(64, 64))
    found = cell(run(lambda _: TableModel(logits)).run(Margins()))
    assert {shape.largest_logit_change for shape in found.shapes} == {0.0}
    assert {change for shape in found.shapes for change in shape.gap_changes} == {0.0}
    assert found.constructed.value is None
    assert "changed the gap" in str(found.constructed.reason)


def test_the_first_prompts_of_each_kind_take_part() -> None:
    """As many as the plan says, and none that is already there."""
    done = run(tiny, prompts=(PROMPT, (7, 8), (9,)), margins={"prompts_per_kind": 2}).run(Margins(), most=1)
    assert done.measured == ["margins.p-1"]
    done.run(Margins())
    assert done.measured == ["margins.p-1", "margins.p-2"]
    done.reloads.clear()
    done.run(Margins())
    assert done.reloads == []


def test_a_plan_without_margins_asks_for_none() -> None:
    """Nothing is loaded for it."""
    done = run(tiny)
    plan = done.session.plan.model_copy(update={"margins": None})
    session = dataclasses.replace(done.session, plan=plan)
    assert list(Margins().cells(session)) == []
    assert done.reloads == []


def test_a_machine_without_room_for_float32_measures_none() -> None:
    """It is said, and a run that measured everything else is no failed run."""
    done = run(tiny)

    def refuse(dtype: Dtype) -> Any:
        message = f"no room for {dtype}"
        raise InputError(message)

    done.take(done.session.pair, refuse)
    assert done.run(Margins()).cells == {}
    assert done.said == ["no margins: no room for float32"]


def test_a_text_that_exceeds_the_drafts_context_is_refused() -> None:
    """With both numbers, before anything is fed."""
    with pytest.raises(InputError, match="6 tokens, and 251 new ones would exceed the draft's context of 256"):
        run(tiny, margins={"new_tokens": 251}).run(Margins())
