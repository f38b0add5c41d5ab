"""The search for the contexts where a table pair differs most, and the rules tested there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from small_session import SmallRun, prompt, small_plan
from speclab.backends.table import TableModel
from speclab.experiments.disagreement import Disagreement
from speclab.experiments.distribution import Distribution
from speclab.experiments.rules import RULES
from speclab.experiments.speed import Speed
from speclab.records.rows import DisagreementCell, DistributionCell, SpeedCell
from speclab.theory.power import power

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from speclab.records.rows import DisagreementContext

VOCABULARY = 60
PLAN: dict[str, Any] = {
    "distribution": {"draws": 5000, "cells": 20, "contexts_per_kind": 1, "seeds": 1},
    "disagreement": {"contexts_per_prompt": 2},
    "speed": {"ks": (1,), "rounds": 1, "new_tokens": 6},
}


class Spied(TableModel):
    """A table that counts the passes of all its copies, and the rows that they gave."""

    passes: list[int]

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> NDArray[np.float64]:
        """Feed, and count."""
        rows = super().feed(ids, last=last)
        self.passes.append(len(rows))
        return rows

    def fork(self) -> Spied:
        """A copy that counts in the same list."""
        twin = super().fork()
        twin.passes = self.passes
        return twin


def pair(apart: float = 1.0) -> tuple[Spied, Spied]:
    """A target, and a draft whose logits are `apart` away; after token 9 they are far apart."""
    dice = np.random.default_rng(4)
    logits = dice.normal(0, 2, (VOCABULARY, VOCABULARY))
    other = logits + apart * dice.normal(size=logits.shape)
    other[9] = np.roll(logits[9], 7) if apart else logits[9]
    models = Spied(logits), Spied(other)
    for model in models:
        model.passes = []
    return models


def variations(ids: Sequence[int], temperature: float = 1.0) -> list[float]:
    """Total variation after each token, from the tables themselves."""
    p, q = (np.exp(model.feed(ids) / temperature) for model in pair())
    p, q = (each / each.sum(-1, keepdims=True) for each in (p, q))
    found: list[float] = (np.abs(p - q).sum(-1) / 2).tolist()
    return found


def searched(models: tuple[Spied, Spied], ids: Sequence[int], **changes: Any) -> DisagreementCell:
    """The cell of one prompt."""
    parts = {name: each | changes.get(name, {}) for name, each in PLAN.items()}
    done = SmallRun(small_plan(**parts), models, [prompt("p-1", ids)]).run(Disagreement())
    cell = done.cells["disagreement.p-1"]
    assert isinstance(cell, DisagreementCell)
    return cell


def test_one_pass_of_each_model_finds_where_they_differ_most() -> None:
    """Every position is searched; the contexts are those of the largest distance, in falling order."""
    ids = (3, 9, 5, 21, 40, 2, 2)
    models = pair()
    cell = searched(models, ids)
    assert [model.passes for model in models] == [[7], [7]]
    assert [model.length for model in models] == [0, 0]
    expected = variations(ids)
    assert cell.total_variations == pytest.approx(expected, abs=1e-12)
    order = np.argsort(expected)[::-1]
    assert [each.position for each in cell.contexts] == [int(place) + 1 for place in order[:2]]
    assert cell.contexts[0].position == 2  # after token 9, planted
    assert [each.total_variation for each in cell.contexts] == pytest.approx(sorted(expected)[::-1][:2])
    assert (cell.prompt_tokens, cell.text_tokens, cell.false_alarm) == (7, 7, 0.001)


def test_contexts_have_the_least_length() -> None:
    """The planted distance behind token 9 comes too early; a text that is shorter than that is searched whole."""
    ids = (3, 9, 5, 21, 40, 2, 2)
    cell = searched(pair(), ids, disagreement={"least_tokens": 4})
    late = np.array(variations(ids))[3:]
    assert [each.position for each in cell.contexts] == [int(place) + 4 for place in np.argsort(late)[::-1][:2]]
    assert len(cell.total_variations) == 7
    assert searched(pair(), ids, disagreement={"least_tokens": 8}).contexts[0].position == 2


def test_the_temperature_is_that_of_distribution() -> None:
    """Both laws are made at it."""
    cell = searched(pair(), (3, 9), distribution={"temperature": 0.5})
    assert cell.total_variations == pytest.approx(variations((3, 9), 0.5), abs=1e-12)
    assert cell.temperature == 0.5


def test_plain_output_is_searched_where_speed_made_it() -> None:
    """The text goes on with what the arm plain committed; without a block the prompt is all there is."""
    ids = (3, 5, 21)
    done = SmallRun(small_plan(**PLAN), pair(), [prompt("p-1", ids), prompt("p-2", (7,))])
    done.run(Speed(), most=1)
    block = next(each for each in done.cells.values() if isinstance(each, SpeedCell))
    plain = next(arm for arm in block.arms if arm.arm == "plain")
    done.run(Disagreement())
    found = {cell.prompt: cell for cell in done.cells.values() if isinstance(cell, DisagreementCell)}
    assert found["p-1"].total_variations == pytest.approx(variations((*ids, *plain.ids)), abs=1e-12)
    assert (found["p-1"].prompt_tokens, found["p-1"].text_tokens) == (3, 9)
    assert len(found["p-2"].total_variations) == 1
    assert len(found["p-2"].contexts) == 1


def test_a_text_longer_than_a_context_is_cut_and_said_so() -> None:
    """The draft takes three tokens, so three positions have both laws."""
    models = pair()
    models[1].context = 3
    plan = small_plan(**PLAN)
    done = SmallRun(plan, models, [prompt("p-1", (3, 5, 21, 9, 9))]).run(Disagreement())
    cell = done.cells["disagreement.p-1"]
    assert isinstance(cell, DisagreementCell)
    assert len(cell.total_variations) == 3
    assert cell.text_tokens == 5
    assert done.said == ["p-1 is searched up to token 3 of 5: one of the models takes no more"]


def test_the_rules_are_tested_at_each_context_as_distribution_tests_them() -> None:
    """Draws, cells and rate of the plan; the right rule passes, the wrong ones are rejected."""
    for context in searched(pair(), (3, 9, 5)).contexts:
        assert [test.rule for test in context.tests] == list(RULES)
        assert [test.verdict for test in context.tests] == ["passed", "rejected", "rejected"]
        assert all((test.draws, test.degrees < 21) == (5000, True) for test in context.tests)


def test_draws_needed_are_those_that_give_the_power() -> None:
    """With so many the stated power is reached; the right rule's own law is never seen."""
    context = searched(pair(), (3, 5)).contexts[0]
    p, q = (np.exp(model.feed((3, 5))[context.position - 1]) for model in pair())
    p, q = p / p.sum(), q / q.sum()
    right, *wrong = context.tests
    assert right.needed.value is None
    assert right.needed.reason
    for test in wrong:
        law, draws = RULES[test.rule].law(p, q), test.needed.value
        assert draws is not None
        assert power(p, law, draws=draws, false_alarm=0.001, top=20) >= 0.99
        assert power(p, law, draws=draws - 1, false_alarm=0.001, top=20) < 0.99


def test_where_the_models_agree_no_number_of_draws_is_enough() -> None:
    """Blind, with the reason, and no number."""
    context = searched(pair(0.0), (3, 9)).contexts[0]
    assert context.position == 1  # the first of equals
    assert {test.verdict for test in context.tests} == {"blind"}
    assert {test.needed.value for test in context.tests} == {None}
    assert all("1,000,000,000,000 draws" in str(test.needed.reason) for test in context.tests)


def statistics(context: DisagreementContext | DistributionCell) -> list[float | None]:
    """What the draws of each rule gave."""
    return [test.statistic.value for test in context.tests]


def test_draws_depend_on_prompt_and_position_alone() -> None:
    """The same again, others elsewhere, and not those that distribution makes at the same context."""
    once, again = (searched(pair(), (9, 9, 9)) for _ in range(2))
    assert [statistics(each) for each in once.contexts] == [statistics(each) for each in again.contexts]
    first, second = once.contexts  # both after token 9: the same two laws
    assert first.total_variation == second.total_variation
    assert all(one != other for one, other in zip(statistics(first), statistics(second), strict=True))
    done = SmallRun(small_plan(**PLAN), pair(), [prompt("p-1", (9,))]).run(Distribution())
    there = done.cells["distribution.p-1.s0"]
    assert isinstance(there, DistributionCell)
    assert all(one != other for one, other in zip(statistics(first), statistics(there), strict=True))


def test_a_plan_without_the_part_has_no_cells() -> None:
    """It asks for nothing."""
    plan = small_plan().model_copy(update={"disagreement": None})
    assert SmallRun(plan, pair(), [prompt("p-1", (9,))]).run(Disagreement()).cells == {}
