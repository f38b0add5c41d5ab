"""Traces name the block that counts, and give the words to its tokens."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from small_session import SmallRun, prompt, small_plan
from speclab.errors import InputError
from speclab.experiments.traces import PROMPT_TOKENS, Traces
from speclab.records.plan import SamplingPlan, TracesPlan
from speclab.records.rows import SpeedCell, TraceCell
from synthetic_rows import Speeds, speed_cell

if TYPE_CHECKING:
    import random

PROMPTS = (prompt("prose-1", range(100)), prompt("code-1", (5, 6), kind="code"), prompt("prose-2", (7,)))


@pytest.fixture
def dice() -> random.Random:
    import random

    return random.Random(0)


def small_run(dice: random.Random, *, kinds: tuple[str, ...] = ("prose", "code", "chat"), k: int = 4) -> SmallRun:
    """A run that has measured a block of each prompt; its tokenizer names tokens by their number."""
    plan = small_plan().model_copy(update={"traces": TracesPlan(kinds=kinds, k=k)})
    run = SmallRun(plan, (None, None), PROMPTS)  # type: ignore[arg-type]
    tokenizer: Any = SimpleNamespace(decode=lambda ids: f"<{ids[0]}>")
    run.session.pair.tokenizer = tokenizer  # type: ignore[misc]
    for each in PROMPTS:
        cell = speed_cell(plan, each.kind, int(each.id[-1]), 0, Speeds(dice, 1.0))
        run.cells[cell.key] = cell
    return run


def traces(run: SmallRun) -> list[TraceCell]:
    run.run(Traces())
    return [cell for cell in run.cells.values() if isinstance(cell, TraceCell)]


def test_one_generation_of_each_kind_that_the_run_has(dice: random.Random) -> None:
    """The first prompt of a kind; a kind without prompts is passed over."""
    found = traces(small_run(dice))
    assert [(cell.prompt, cell.block, cell.k) for cell in found] == [
        ("prose-1", "speed.prose-1.r0.a0", 4),
        ("code-1", "speed.code-1.r0.a0", 4),
    ]
    assert found[0].prompt_end == tuple(range(100 - PROMPT_TOKENS, 100))
    assert found[1].prompt_end == (5, 6)


def test_every_token_that_is_played_back_can_be_read(dice: random.Random) -> None:
    """Prompt, both outputs and all proposals, the refused ones too; each once."""
    run = small_run(dice)
    cell = traces(run)[0]
    block = run.cells[cell.block]
    assert isinstance(block, SpeedCell)
    arm = next(row for row in block.arms if row.k == cell.k)
    needed = {*cell.prompt_end, *block.arms[0].ids, *arm.ids}.union(*arm.iterations.proposals)
    words = {piece.token: piece.text for piece in cell.pieces}
    assert words == {token: f"<{token}>" for token in needed}
    assert len(cell.pieces) == len(words)


def test_the_repeat_of_a_disturbed_block_is_what_is_traced(dice: random.Random) -> None:
    """And never a block of another round or sampling."""
    run = small_run(dice, kinds=("prose",))
    first = run.cells["speed.prose-1.r0.a0"]
    assert isinstance(first, SpeedCell)
    warm = first.model_copy(update={"sampling": SamplingPlan(temperature=1.0), "attempt": 1})
    for cell in (
        first.model_copy(update={"attempt": 1}),
        first.model_copy(update={"round": 1, "attempt": 2}),
        warm,
    ):
        run.cells[cell.key] = cell
    assert traces(run)[0].block == "speed.prose-1.r0.a1"


def test_where_the_k_was_not_measured_the_largest_is_traced(dice: random.Random) -> None:
    """As where other k were asked for at the command line."""
    assert traces(small_run(dice, k=3))[0].k == 4


def test_without_speed_there_is_nothing_to_trace(dice: random.Random) -> None:
    """Said in one line."""
    run = small_run(dice)
    run.cells.clear()
    with pytest.raises(InputError, match="no block of prose-1 to trace: measure speed and traces together"):
        traces(run)
