"""The distribution experiment on a table pair, and what its verdicts say."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from small_session import SmallRun, prompt, small_plan
from speclab.backends.table import TableModel
from speclab.experiments import context
from speclab.experiments.context import Context, Seen, look_at, verdict
from speclab.experiments.distribution import Distribution
from speclab.experiments.rules import RULES
from speclab.records.rows import DistributionCell
from speclab.theory.goodness import holm

if TYPE_CHECKING:
    from numpy.typing import NDArray

VOCABULARY = 120
PROMPTS = (
    prompt("p-1", (1, 2, 3)),
    prompt("p-2", (5,)),
    prompt("c-1", (7, 8), "code"),
    prompt("p-3", (4, 4), "prose"),
)


class Counted(TableModel):
    """A table that counts the passes of all its copies."""

    passes = 0

    def feed(self, ids: list[int], *, last: int | None = None) -> NDArray[np.float64]:  # type: ignore[override]
        """Feed, and count."""
        type(self).passes += 1
        return super().feed(ids, last=last)


@pytest.fixture(autouse=True)
def _no_passes_yet() -> None:
    Counted.passes = 0


def pair(apart: float = 1.0) -> tuple[TableModel, TableModel]:
    """A target, and a draft whose logits are `apart` away."""
    dice = np.random.default_rng(2)
    logits = dice.normal(0, 2, (VOCABULARY, VOCABULARY))
    return Counted(logits), Counted(logits + apart * dice.normal(size=logits.shape))


def run(apart: float = 1.0, **plan: object) -> list[DistributionCell]:
    """Every cell of the experiment."""
    settings = {"contexts_per_kind": 2, "seeds": 2, "draws": 20_000, "cells": 30, **plan}
    done = SmallRun(small_plan(distribution=settings), pair(apart), PROMPTS).run(Distribution())
    return [cell for cell in done.cells.values() if isinstance(cell, DistributionCell)]


def test_one_cell_a_context_and_seed_and_each_context_is_computed_once() -> None:
    """The first prompts of each kind take part; a context's two laws serve all its seeds."""
    cells = run()
    assert [cell.key for cell in cells] == [
        f"distribution.{name}.s{seed}" for name, seed in product(("p-1", "p-2", "c-1"), (0, 1))
    ]
    assert Counted.passes == 3 * 2
    assert len({test.statistic.value for cell in cells for test in cell.tests}) == len(cells) * 3


def test_the_right_rule_passes_and_the_wrong_ones_are_rejected() -> None:
    """With laws far apart every test sees; none of the right rule's is rejected over all of them."""
    cells = run()
    by_rule = {rule: [test for cell in cells for test in cell.tests if test.rule == rule] for rule in RULES}
    values = [test.p_value.value for test in by_rule["ratio"]]
    assert not any(holm([value for value in values if value is not None], 0.001))
    assert {test.verdict for test in by_rule["ratio"]} == {"passed"}
    assert {test.verdict for test in by_rule["fresh_draw"]} == {"rejected"}
    assert {test.verdict for test in by_rule["draft_kept"]} == {"rejected"}
    assert all(test.total_variation == 0 for test in by_rule["ratio"])
    assert all(test.power == pytest.approx(0.001, rel=1e-6) for test in by_rule["ratio"])
    assert all(test.power > 0.99 for rule in ("fresh_draw", "draft_kept") for test in by_rule[rule])


def test_the_laws_are_those_of_the_models_at_the_temperature() -> None:
    """Total variation and acceptance come from softmax(logits / temperature), in float64."""
    cell = run(temperature=0.5)[0]
    target, draft = pair()
    p, q = (np.exp(model.feed([3])[0] / 0.5) for model in (target, draft))
    apart = np.abs(p / p.sum() - q / q.sum()).sum() / 2
    assert cell.total_variation == pytest.approx(apart, abs=1e-12)
    assert cell.acceptance == pytest.approx(1 - apart, abs=1e-12)
    assert cell.tests[2].total_variation == pytest.approx(apart, abs=1e-12)


def test_where_the_models_agree_a_pass_is_blind() -> None:
    """With the draft equal to the target no wrong rule can be seen, and no test claims to have seen one."""
    for cell in run(apart=0.0):
        assert [test.verdict for test in cell.tests] == ["blind", "blind", "blind"]
        assert cell.total_variation == 0


def test_a_broken_rule_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the right rule draws its corrections from p, its test fails."""
    monkeypatch.setitem(RULES, "ratio", RULES["fresh_draw"])
    assert {cell.tests[0].verdict for cell in run()} == {"failed"}


def test_a_law_of_one_token_is_not_testable() -> None:
    """One cell leaves nothing to test: null with the reason, never a p-value of 1."""
    logits = np.full((4, 4), -np.inf)
    logits[:, 2] = 0.0
    models = (TableModel(logits), TableModel(np.zeros((4, 4))))
    settings = {"contexts_per_kind": 1, "seeds": 1, "draws": 1000}
    done = SmallRun(small_plan(distribution=settings), models, [prompt("one", (1,))]).run(Distribution())
    cell = done.cells["distribution.one.s0"]
    assert isinstance(cell, DistributionCell)
    right, fresh, kept = cell.tests
    assert (right.verdict, right.p_value.value, right.power) == ("not testable", None, 0.0)
    assert right.p_value.reason
    assert fresh.verdict == "not testable"
    # The draft's own tokens are impossible under p, which needs no second cell to be seen.
    assert (kept.verdict, kept.p_value.value, kept.power) == ("rejected", 0.0, 1.0)


def test_a_context_too_long_for_the_draft_is_left_out_and_said_so() -> None:
    """No law of the draft exists there."""
    target, draft = pair()
    draft.context = 2
    settings = {"contexts_per_kind": 2, "seeds": 1, "draws": 1000}
    done = SmallRun(small_plan(distribution=settings), (target, draft), PROMPTS).run(Distribution())
    assert done.measured == ["distribution.p-2.s0", "distribution.c-1.s0"]
    assert "p-1 is left out" in done.said[0]


@pytest.mark.parametrize(
    ("rule", "power", "rejected", "expected"),
    [
        ("ratio", 1.0, False, "passed"),
        ("ratio", 0.89, False, "blind"),
        ("ratio", 0.9, False, "passed"),
        ("ratio", 0.0, True, "failed"),
        ("ratio", 1.0, None, "not testable"),
        ("fresh_draw", 1.0, True, "rejected"),
        ("fresh_draw", 0.2, True, "rejected"),
        ("fresh_draw", 0.9, False, "missed"),
        ("fresh_draw", 0.89, False, "blind"),
        ("fresh_draw", 1.0, None, "not testable"),
    ],
)
def test_a_verdict_tells_passed_from_blind(rule: str, power: float, rejected: bool | None, expected: str) -> None:
    """A pass counts where a wrong rule would have been seen; a rejection counts anywhere."""
    law = np.array([0.5, 0.5])
    seen = (
        Seen("ratio", 0.0, 0.001, None),
        Seen("fresh_draw", 0.1, power, None),
        Seen("draft_kept", 0.1, 0.0, None),
    )
    where = Context(law, law, 0.1, seen)
    assert verdict(where, next(each for each in seen if each.rule == rule), rejected=rejected) == expected


def test_draws_depend_on_prompt_seed_and_rule_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run draws what an uninterrupted one would have drawn."""
    again = run()
    monkeypatch.setattr(context, "RULES", dict(reversed(RULES.items())))
    turned = run()
    by_rule = [{test.rule: test.statistic for test in cell.tests} for cell in turned]
    assert by_rule == [{test.rule: test.statistic for test in cell.tests} for cell in again]


def test_each_rule_draws_numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rules that are the same rule still make independent draws."""
    monkeypatch.setitem(RULES, "fresh_draw", RULES["ratio"])
    right, twin, _ = run()[0].tests
    assert right.statistic != twin.statistic


def test_power_is_of_the_rules_own_law() -> None:
    """Few draws see little; the same laws with many draws are told apart."""
    target, draft = pair(0.1)
    p, q = (np.exp(model.feed([3])[0]) for model in (target, draft))
    p, q = p / p.sum(), q / q.sum()
    powers = []
    for draws in (100, 5_000, 500_000):
        plan = small_plan(distribution={"draws": draws}).distribution
        powers.append({each.rule: each.power for each in look_at(p, q, plan).seen})
    fresh = [each["fresh_draw"] for each in powers]
    assert fresh == sorted(fresh)
    assert fresh[0] < 0.1
    assert fresh[-1] > 0.99
