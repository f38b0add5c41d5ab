"""Divergence on real tiny models: every verdict from a cause that was planted, and what is computed how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from speclab.experiments.divergence import Divergence
from speclab.experiments.randomness import NO_RANDOMNESS
from speclab.experiments.replay import replay
from speclab.experiments.speed import Speed
from speclab.records.rows import DivergenceCell, SpeedCell
from tiny_pair import Around, Logged, OneTooLong, OneTooShort, Turned, tiny, tiny_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from small_session import SmallRun
    from speclab.decoding.protocols import Model
    from speclab.records.plan import Dtype
    from speclab.records.rows import Difference
    from tiny_pair import TinyRun

BEST, SECOND = 7, 9
TOP = 16.0
"""A logit far above all others of the tiny model; bfloat16 numbers are 0.125 apart there."""
SPACING = 0.125


def clean(dtype: Dtype) -> tuple[Model, Model]:
    """A target, and a draft that agrees with it now and then."""
    return Around(tiny(dtype)), tiny(dtype, noise=0.1)


def one_too_long(dtype: Dtype) -> tuple[Model, Model]:
    """The target's cache keeps a refused token."""
    return OneTooLong(tiny(dtype)), tiny(dtype, noise=0.1)


def one_too_short(dtype: Dtype) -> tuple[Model, Model]:
    """The target's cache loses a kept token."""
    return OneTooShort(tiny(dtype)), tiny(dtype, noise=0.1)


def turned(half: Callable[[bool], tuple[float, float]]) -> Callable[[Dtype], tuple[Model, Model]]:
    """A pair whose logits of `BEST` and `SECOND` depend on the shape of the pass in bfloat16, and not in float32.

    Args:
        half: Whether the pass fed several tokens -> how far both lie above `TOP`.
    """

    def pair(dtype: Dtype) -> tuple[Model, Model]:
        target = Turned(tiny(dtype))

        def change(row: Tensor, several: bool) -> Tensor:
            above = half(several) if dtype == "bfloat16" else half(False)
            row = row.clone()
            row[BEST], row[SECOND] = (TOP + each for each in above)
            return row

        target.change = change
        return target, tiny(dtype, noise=0.1)

    return pair


def measured(pair: Callable[[Dtype], tuple[Model, Model]], dtype: Dtype = "bfloat16", **parts: Any) -> TinyRun:
    """A run of speed and divergence."""
    return tiny_run(pair, dtype, **parts).run(Speed()).run(Divergence())


def cell(done: SmallRun, name: str = "p-1") -> DivergenceCell:
    found = done.cells[f"divergence.{name}"]
    assert isinstance(found, DivergenceCell)
    return found


def differences(done: SmallRun) -> tuple[Difference, ...]:
    return cell(done).differences


def test_float32_has_no_differences() -> None:
    """On a processor in float32 every arm repeats plain token for token, in every round."""
    done = measured(clean, "float32", speed={"ks": (1, 2, 4), "new_tokens": 40, "rounds": 2})
    found = cell(done)
    assert [(each.arm, each.k, each.round) for each in found.comparisons if not each.identical] == []
    assert sorted({(each.arm, each.k) for each in found.comparisons}) == [
        ("draft", 1),
        ("draft", 2),
        ("draft", 4),
        ("plain_again", 0),
    ]
    assert (found.differences, found.changed, done.reloads) == ((), (), [])
    accepted = [
        n
        for block in done.cells.values()
        if isinstance(block, SpeedCell)
        for n in block.arms[1].iterations.accepted
    ]
    assert 0 < sum(accepted) < len(accepted)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("fault", [one_too_long, one_too_short])
def test_a_cache_off_by_one_is_a_bug(fault: Callable[[Dtype], tuple[Model, Model]], dtype: Dtype) -> None:
    """The replay repeats the fault, so it repeats the tokens; the logits are far from every fresh way."""
    found = differences(measured(fault, dtype))
    assert [each.k for each in found] == [2, 4]
    for each in found:
        assert (each.plain_repeats, each.arm_repeats) == (True, True)
        assert each.verdict == "bug"
        assert {way.favours for way in each.ways[:4]} == {"plain"}
        assert each.ways[4].favours == "arm"


def test_a_bug_is_found_without_float32_too() -> None:
    """A machine without room for float32 says so, and still does not excuse a fault."""
    done = tiny_run(one_too_long, "bfloat16", prompts=((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1)))

    def refuse(dtype: Dtype) -> Any:
        done.reloads.append(dtype)
        message = "no room for float32: 10.8 GB are needed"
        raise InputError(message)

    done.take(done.session.pair, refuse)
    found = differences(done.run(Speed()).run(Divergence()))
    assert [each.verdict for each in found] == ["bug", "bug"]
    assert {each.float32_reason for each in found} == {"no room for float32: 10.8 GB are needed"}
    assert (found[0].float32, found[0].float32_noise) == ((), None)
    assert done.reloads == ["float32"]


def test_an_exact_tie_is_a_tie() -> None:
    """Equal logits in passes over one token; a pass over several puts the second one spacing higher."""
    done = measured(turned(lambda several: (0.0, SPACING if several else 0.0)))
    found = differences(done)
    assert {each.verdict for each in found} == {"tie"}
    for each in found:
        assert (each.plain_token, each.arm_token) == (BEST, SECOND)
        assert (each.plain_text, each.arm_text) == (f"<{BEST}>", f"<{SECOND}>")
        assert (each.gap, each.spacing, each.noise) == (0.0, SPACING, SPACING)
        named = {way.name: way.favours for way in each.ways}
        assert named["plain's path"] == named["prefill and one step"] == "neither"
        assert named["the arm's path"] == named["prefill and the same pass"] == "arm"
        assert {way.favours for way in each.float32} == {"neither"}


def test_a_gap_within_the_noise_is_shape_numerics() -> None:
    """Two spacings one way in a pass over one token, two the other way in a pass over several."""
    done = measured(turned(lambda several: (0.0, 2 * SPACING) if several else (2 * SPACING, 0.0)))
    for each in differences(done):
        assert (each.gap, each.noise) == (2 * SPACING, 4 * SPACING)
        assert each.verdict == "shape numerics"


def test_what_the_arms_own_path_alone_has_is_no_noise() -> None:
    """Logits that no other way of computing shows are a bug, though float32 does not show them either."""

    class Spoilt(Turned):
        """In bfloat16 it misbehaves once something was really taken back, which the arm's path alone does."""

        spoilt = False

        def rollback(self, length: int) -> None:
            self.spoilt = self.spoilt or length < self.length
            super().rollback(length)

        def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
            rows = super().feed(ids, last=last)
            if self.spoilt:
                rows[:, SECOND] = TOP + 8
            return rows

    clean_pair = turned(lambda _: (2 * SPACING, 0.0))

    def pair(dtype: Dtype) -> tuple[Model, Model]:
        target, draft = clean_pair(dtype)
        return (Spoilt(target) if dtype == "bfloat16" else target), draft

    found = differences(measured(pair))
    assert found
    assert {each.verdict for each in found} == {"bug"}
    assert {each.noise for each in found} == {0.0}


def test_a_disturbed_run_is_not_repeatable() -> None:
    """Where the machine computed something once and not again, no excuse is given."""
    flaky = turned(lambda several: (0.0, SPACING) if several else (SPACING, 0.0))
    done = tiny_run(flaky, "bfloat16").run(Speed())
    steady = tiny_run(turned(lambda _: (SPACING, 0.0)), "bfloat16")
    done.take(steady.session.pair)
    found = differences(done.run(Divergence()))
    assert {(each.plain_repeats, each.arm_repeats) for each in found} == {(True, False)}
    assert {each.verdict for each in found} == {"not repeatable"}


def test_shapes_of_passes_in_bfloat16_are_never_a_bug() -> None:
    """Whatever a real bfloat16 model does here is excused for a reason, or does not happen."""
    done = measured(clean, "bfloat16", speed={"ks": (1, 3, 8), "new_tokens": 48})
    assert {each.verdict for each in differences(done)} <= {"tie", "shape numerics"}
    assert {each.identical for each in cell(done).comparisons if each.arm == "plain_again"} == {True}


def test_one_difference_of_several_rounds_is_computed_once() -> None:
    """The same passes to the same tokens in another round point to the same difference."""
    tie = turned(lambda several: (0.0, SPACING if several else 0.0))
    # Without time left no block is repeated, whatever disturbed it.
    done = measured(tie, speed={"ks": (2, 4), "new_tokens": 12, "rounds": 3}, budget=lambda: 0.0)
    found = cell(done)
    assert [each.k for each in found.differences] == [2, 4]
    assert [each.difference for each in found.comparisons if each.k == 4] == [1, 1, 1]
    assert [each.difference for each in found.comparisons if each.arm == "plain_again"] == [None, None, None]
    assert found.changed == ()


def test_all_prompts_are_recomputed_before_the_one_reload() -> None:
    """Float32 takes the place of the pair, so it comes once and last; a kill between loses no finished prompt."""
    tie = turned(lambda several: (0.0, SPACING if several else 0.0))
    prompts = ((1, 2, 3), (4, 5), (6,))
    done = tiny_run(tie, "bfloat16", prompts=prompts).run(Speed())
    done.measured.clear()
    done.run(Divergence())
    names = ["p-1", "p-2", "p-3"]
    assert done.measured == [*(f"recomputed.{each}" for each in names), *(f"divergence.{each}" for each in names)]
    assert set(done.reloads) == {"float32"}

    resumed = tiny_run(tie, "bfloat16", prompts=prompts)
    resumed.cells.update({key: each for key, each in done.cells.items() if not isinstance(each, DivergenceCell)})
    resumed.run(Divergence())
    assert resumed.measured == [f"divergence.{each}" for each in names]
    assert [resumed.cells[f"divergence.{each}"] for each in names] == [
        done.cells[f"divergence.{each}"] for each in names
    ]


def test_the_replay_feeds_what_the_arm_fed() -> None:
    """Passes and rollbacks of the arm's replay are those of the measured arm, up to the pass that decided."""
    done = tiny_run(clean, speed={"ks": (4,), "new_tokens": 24}).run(Speed())
    block = done.cells["speed.p-1.r0.a0"]
    assert isinstance(block, SpeedCell)
    arm = next(each for each in block.arms if each.arm == "draft")
    assert 0 < sum(arm.iterations.accepted) < sum(arm.iterations.proposed)

    def logged() -> Logged:
        target = Logged(tiny())
        target.log = []
        return target

    first, again = logged(), logged()
    ids = done.session.prompts[0].ids
    draft = DraftModel(clean("float32")[1])
    iterations = speculative(first, draft, ids, k=4, sampling=GREEDY, source=NO_RANDOMNESS, max_new_tokens=24)
    assert tuple(token for each in iterations for token in each.committed) == arm.ids
    decided = replay(again, ids, arm, range(24))
    assert {index: each.token for index, each in decided.items()} == dict(enumerate(arm.ids))
    assert again.log == first.log[:-1]  # the rollback after the last pass decides nothing


def test_whole_outputs_in_float32_agree() -> None:
    """Asked for by the plan for the first prompts of a kind; the others say that nobody asked."""
    wanted = {"float32_prompts_per_kind": 1, "float32_k": 3, "float32_new_tokens": 20}
    done = measured(clean, prompts=((1, 2, 3), (4, 5)), divergence=wanted, speed={"ks": (1,), "new_tokens": 8})
    whole = cell(done).float32_output.value
    assert whole is not None
    assert (whole.k, whole.new_tokens, whole.identical, whole.difference) == (3, 20, True, None)
    assert cell(done, "p-2").float32_output.reason == "not asked for"


def test_whole_outputs_in_float32_find_a_bug() -> None:
    """A cache fault shows in float32 as it does anywhere."""
    wanted = {"float32_prompts_per_kind": 1, "float32_k": 4, "float32_new_tokens": 24}
    whole = cell(measured(one_too_long, divergence=wanted)).float32_output.value
    assert whole is not None
    assert whole.difference is not None
    assert (whole.identical, whole.difference.verdict) == (False, "bug")


def test_whole_outputs_wait_for_no_spent_budget() -> None:
    """First differences are always settled; whole outputs only while there is time."""
    tie = turned(lambda several: (0.0, SPACING if several else 0.0))
    wanted = {"float32_prompts_per_kind": 1}
    done = measured(tie, divergence=wanted, budget=lambda: -1.0)
    assert cell(done).float32_output.reason == "the plan's time was spent"
    assert {each.verdict for each in differences(done)} == {"tie"}


def test_without_outputs_there_is_nothing_to_compare() -> None:
    """Divergence alone says what has to come first."""
    with pytest.raises(InputError, match="measure speed first"):
        tiny_run(clean).run(Divergence())
