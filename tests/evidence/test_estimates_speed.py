"""Speed-ups, the noise floor and shares, on rows worked out by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from hand_rows import arm, block, run_of, simple_block
from speclab.errors import CheckError, InputError
from speclab.evidence.estimates import EmptySelectionError, estimate
from speclab.evidence.estimates.pace import earlier_over_later
from speclab.evidence.estimates.repeats import (
    disturbed_blocks,
    disturbed_in_use,
    largest_repeat_change,
    repeated_blocks,
)
from speclab.evidence.estimates.speed import (
    best_k,
    best_speedup,
    draft_share,
    end_to_end_speedup,
    iteration_steps,
    iteration_tokens,
    noise_floor,
    overhead_share,
    overhead_steps,
    plain_tokens_per_second,
    speedup,
    verify_share,
)
from speclab.records.plan import SamplingPlan
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell
from synthetic import synthetic_plan, synthetic_run

if TYPE_CHECKING:
    from speclab.records.rows import ArmRow


def test_denominator_is_the_geometric_mean_of_both_plain_arms() -> None:
    """Plain took 100 and 400, so 200; the arm took 50."""
    run = run_of(block("prose-1", arm("draft", 2, 50, (0,)), plain=(100, 400)))
    found = speedup(run, k=2)
    assert found.value == pytest.approx(4.0)
    assert (found.low, found.high, found.n) == (None, None, 1)
    assert found.reason is not None
    assert "1 prompt" in found.reason


def test_rounds_are_averaged_as_logarithms_within_a_prompt() -> None:
    """Twice and eight times as fast is four times, and still one prompt."""
    run = run_of(*(simple_block("prose-1", 80, {2: ns}, turn=turn) for turn, ns in enumerate((40, 10))))
    found = speedup(run, k=2, kind="prose")
    assert found.value == pytest.approx(4.0)
    assert found.n == 1


def test_interval_of_a_kind_is_a_t_interval_over_prompts() -> None:
    """Ratios 1, 2, 4: mean log 2 with spread log 2, and t(0.975, 2) = 4.30265."""
    run = run_of(*(simple_block(f"prose-{n}", 400, {1: 400 // ratio}) for n, ratio in enumerate((1, 2, 4))))
    found = speedup(run, k=1, kind="prose")
    half = 4.302652729911275 * math.log(2) / math.sqrt(3)
    assert found.value == pytest.approx(2.0)
    assert found.low == pytest.approx(2 * math.exp(-half))
    assert found.high == pytest.approx(2 * math.exp(half))
    assert (found.n, found.reason) == (3, None)


def test_kinds_weigh_the_same_however_many_prompts_they_have() -> None:
    """One prompt at 4 and three at 1: the mean over kinds is 2, over prompts it would be 1.41."""
    prompts = [("code-1", 100), ("prose-1", 400), ("prose-2", 400), ("prose-3", 400)]
    run = run_of(*(simple_block(prompt, 400, {1: ns}) for prompt, ns in prompts))
    assert speedup(run, k=1).value == pytest.approx(2.0)
    assert speedup(run, k=1, prompt="prose-2").value == pytest.approx(1.0)


def test_one_prompt_a_kind_gives_an_interval_over_kinds() -> None:
    """Three kinds at 1, 2 and 4 are treated as three draws."""
    run = run_of(*(simple_block(f"{kind}-1", 400, {1: ns}) for kind, ns in (("a", 400), ("b", 200), ("c", 100))))
    found = speedup(run, k=1)
    assert found.low == pytest.approx(2 * math.exp(-4.302652729911275 * math.log(2) / math.sqrt(3)))


def test_a_repeat_replaces_the_disturbed_block_whatever_it_shows() -> None:
    """The first attempt said 10, the repeat says 2; only the noise floor still sees the first."""
    disturbed = block("prose-1", arm("draft", 1, 10, (0,)), plain=(400, 100), disturbed="apart")
    repeat = block("prose-1", arm("draft", 1, 50, (0,)), plain=(100, 100), attempt=1)
    calm = block("code-1", arm("draft", 1, 50, (0,)))
    for order in ((disturbed, repeat, calm), (calm, repeat, disturbed)):
        run = run_of(*order)
        assert speedup(run, k=1, kind="prose").value == pytest.approx(2.0)
        assert noise_floor(run, kind="prose").value == pytest.approx(2.0)  # log mean of 4 and 1
        assert (disturbed_blocks(run).value, disturbed_blocks(run).n) == (1, 3)
        assert (repeated_blocks(run).value, repeated_blocks(run).n) == (1, 2)
        assert (disturbed_in_use(run).value, disturbed_in_use(run).n) == (0, 2)
        assert largest_repeat_change(run).value == pytest.approx(
            20 / 2
        )  # plain's mean 200 over 10, then 100 over 50


def test_a_repeat_that_is_disturbed_too_counts_and_is_counted() -> None:
    """No third attempt is made, so the number is there and so is what is wrong with it."""
    first = block("prose-1", arm("draft", 1, 50, (0,)), disturbed="apart")
    again = block("prose-1", arm("draft", 1, 40, (0,)), disturbed="apart", attempt=1)
    run = run_of(first, again, block("code-1", arm("draft", 1, 50, (0,))))
    assert disturbed_in_use(run).value == 1
    assert (disturbed_in_use(run, kind="prose").value, disturbed_in_use(run, kind="code").value) == (1, 0)
    assert largest_repeat_change(run).value == pytest.approx(50 / 40)
    assert largest_repeat_change(run_of(first)).value == 1


def test_outputs_of_different_length_are_not_compared() -> None:
    """A time for two tokens is no time for one."""
    cell = block("prose-1", arm("draft", 1, 50, (0, 0)))
    short = cell.model_copy(update={"arms": (*cell.arms[:2], arm("draft", 1, 50, (0,)))})
    with pytest.raises(CheckError, match=r"prose-1.*plain made 2 tokens.*made 1"):
        speedup(run_of(short), k=1)


def test_end_to_end_counts_the_prompt_once_for_plain_and_twice_for_the_arm() -> None:
    """(100 + 200) / (100 + 50 + 50)."""
    run = run_of(block("prose-1", arm("draft", 1, 50, (0,)), plain=(200, 200), prefill=(100, 50)))
    assert end_to_end_speedup(run, k=1).value == pytest.approx(1.5)


def test_baseline_in_tokens_a_second() -> None:
    """Four tokens in two seconds."""
    run = run_of(block("prose-1", arm("draft", 1, 50, (1, 1)), plain=(2 * 10**9, 2 * 10**9)))
    found = plain_tokens_per_second(run)
    assert found.value == pytest.approx(2.0)
    assert found.unit == "tokens/s"


def test_best_k_is_that_of_the_largest_mean_and_may_differ_by_kind() -> None:
    """Prose likes 1, code likes 4, and together 4 wins."""
    run = run_of(
        simple_block("prose-1", 100, {1: 50, 4: 60}),
        simple_block("code-1", 100, {1: 50, 4: 20}),
    )
    assert best_k(run).value == 4
    assert best_k(run, kind="prose").value == 1
    assert best_speedup(run, kind="prose").value == pytest.approx(2.0)


def test_shares_add_up_and_overhead_is_all_the_rest() -> None:
    """Two iterations of 60 + 30 + 5 within 200: what lies between them is overhead too."""
    row = arm("draft", 1, 200, (1, 1), draft_ns=60, verify_ns=30, accept_ns=5)
    run = run_of(block("prose-1", row))
    shares = [each(run, k=1).value for each in (draft_share, verify_share, overhead_share)]
    assert shares == pytest.approx([0.6, 0.3, 0.1])
    assert overhead_steps(run, k=1).value == pytest.approx(10 / 25)  # 10 an iteration; plain took 100 for 4 tokens


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"k": 3}, r"no k = 3 \(it measured k = 1\)"),
        ({"k": 1, "kind": "verse"}, r"no block of kind 'verse'; it has: prose"),
        ({"k": 1, "prompt": "prose-9"}, r"no block of prompt 'prose-9'; it has: prose-1"),
    ],
)
def test_an_empty_selection_is_named(where: dict[str, object], says: str) -> None:
    """Never a number from nothing."""
    run = run_of(simple_block("prose-1", 100, {1: 50}))
    with pytest.raises(EmptySelectionError, match=says):
        speedup(run, **where)  # type: ignore[arg-type]


def test_a_run_without_blocks_says_so() -> None:
    """Timing alone has no speed-up."""
    with pytest.raises(EmptySelectionError, match="did not measure speed"):
        speedup(run_of(), k=1)


def test_blocks_of_one_sampling_are_read_at_a_time() -> None:
    """The plan's first where nothing is said; another by its name; what was never measured is refused."""
    plan = synthetic_plan()
    samplings = (SamplingPlan(), SamplingPlan(temperature=0.7))
    plan = plan.model_copy(update={"speed": plan.speed.model_copy(update={"samplings": samplings})})
    record, results = synthetic_run(plan=plan)
    warm = [
        cell.model_copy(update={"sampling": samplings[1], "arms": tuple(_slower(arm) for arm in cell.arms)})
        for cell in results.cells
        if isinstance(cell, SpeedCell)
    ]
    both = Run(record, results.model_copy(update={"cells": (*warm, *results.cells)}))
    alone = Run(record, results)
    for where in ({"k": 4}, {"k": 4, "sampling": "greedy"}, {"k": 4, "kind": "code"}):
        assert estimate("speedup", both, where) == estimate("speedup", alone, {**where, "sampling": None})
    names = ("greedy", "t0.7")
    greedy, sampled = (estimate("speedup", both, {"k": 4, "sampling": name}).number() for name in names)
    assert sampled == pytest.approx(greedy / 2)
    assert estimate("alpha", both, {"k": 4, "sampling": "t0.7"}).value == estimate("alpha", both, {"k": 4}).value
    with pytest.raises(EmptySelectionError, match=r"no block under 't1'; its plan has: greedy, t0\.7"):
        estimate("speedup", both, {"k": 4, "sampling": "t1"})
    with pytest.raises(InputError, match="has no condition 'sampling'"):
        estimate("cost_ratio", both, {"sampling": "t0.7"})


def _slower(arm: ArmRow) -> ArmRow:
    """A drafting arm that takes twice as long."""
    if arm.arm != "draft":
        return arm
    turns = tuple(turn.model_copy(update={"nanoseconds": 2 * turn.nanoseconds}) for turn in arm.turns)
    return arm.model_copy(update={"turns": turns})


def test_time_and_tokens_of_an_iteration_count_cut_ones_too() -> None:
    """Four tokens in two iterations, one of them cut; the arm took 60, and a step of plain 25."""
    run = run_of(block("prose-1", arm("draft", 2, 60, (2, 0), cut=(1,)), plain=(100, 100)))
    assert iteration_tokens(run, k=2).value == pytest.approx(2)
    assert iteration_steps(run, k=2).value == pytest.approx(60 / 2 / 25)
    assert iteration_tokens(run, k=2).number() / iteration_steps(run, k=2).number() == pytest.approx(100 / 60)


def test_the_halves_of_a_run_show_its_drift() -> None:
    """Plain took 100, 100, then 200, 200 for as many tokens: later half against earlier would read as a loss."""
    run = run_of(*(simple_block(f"prose-{n}", ns, {1: 50}) for n, ns in enumerate((100, 100, 200, 200))))
    found = earlier_over_later(run)
    assert found.number() == pytest.approx(0.5)
    assert (found.n, found.of) == (4, "blocks")
    # The block in the middle belongs to neither half.
    odd = run_of(*(simple_block(f"prose-{n}", ns, {1: 50}) for n, ns in enumerate((100, 999, 200))))
    assert earlier_over_later(odd).value == pytest.approx(0.5)
    with pytest.raises(EmptySelectionError, match="has one block"):
        earlier_over_later(run_of(simple_block("prose-1", 100, {1: 50})))
