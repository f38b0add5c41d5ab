"""A recorded generation shows what the loop did: tokens, caches, clocks; nothing that a model wrote acts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from hand_rows import run_of
from lookouts import quiet
from simulated_machine import SimulatedMachine, timed_pair
from small_session import SmallRun, prompt, small_plan
from small_site import NASTY, copy_site
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from speclab.evidence.estimates.blocks import arm_of
from speclab.experiments.randomness import NO_RANDOMNESS
from speclab.experiments.speed import Speed
from speclab.records.rows import Piece, SpeedCell, TraceCell
from speclab.site.building import begin
from speclab.site.interactive import playback
from speclab.site.interactive.playback import moments
from speclab.site.interactive.recording import recordings
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.reader import Run

PROMPT = (1, 2, 3, 4, 5)
K = 4


@pytest.fixture(scope="module")
def run() -> Run:
    """One block that was really decoded, on table models, and its trace; some tokens have no words."""
    machine = SimulatedMachine()
    plan = small_plan(speed={"new_tokens": 24, "ks": (K,)})
    done = SmallRun(plan, timed_pair(machine), [prompt("prose-1", PROMPT)]).run(Speed(machine, quiet))
    (cell,) = done.cells.values()
    assert isinstance(cell, SpeedCell)
    words = tuple(Piece(token=token, text=f"w{token}") for token in range(20))
    trace = TraceCell(block=cell.key, prompt="prose-1", kind="prose", k=K, prompt_end=PROMPT, pieces=words)
    return run_of(cell, trace)


def test_both_caches_are_those_of_the_loop(run: Run) -> None:
    """After every iteration, as the models themselves say when the same prompt is decoded again."""
    target, draft = timed_pair(SimulatedMachine())
    held = [
        (each.target_length, draft.length)
        for each in speculative(
            target,
            DraftModel(draft),
            PROMPT,
            k=K,
            sampling=GREEDY,
            source=NO_RANDOMNESS,
            max_new_tokens=24,
        )
    ]
    (recorded,) = recordings(run)
    assert [step.caches[-1] for step in recorded.steps] == held
    assert recorded.steps[0].caches[0] == (len(PROMPT) - 1, len(PROMPT) - 1)
    assert all(before.caches[-1] == after.caches[0] for before, after in pairwise(recorded.steps))
    # Both endings of an iteration occur: all guesses kept, and some refused.
    assert {len(step.guesses) == step.kept for step in recorded.steps} == {True, False}


def test_the_tokens_are_those_of_the_arm(run: Run) -> None:
    """Kept guesses and the target's own, one after the other, are the output; what has no words is its number."""
    (recorded,) = recordings(run)
    made = [
        each
        for step in recorded.steps
        for each in (*step.guesses[: step.kept], *([] if step.own is None else [step.own]))
    ]
    cell = next(each for each in run.results.cells if isinstance(each, SpeedCell))
    ids = arm_of(cell, "draft", K).ids
    assert made == [f"w{token}" if token < 20 else f"<{token}>" for token in ids]
    assert any(each.startswith("<") for each in made) == any(token >= 20 for token in ids)


def test_the_clocks_add_up(run: Run) -> None:
    """Each part follows the one before, and both clocks end at what the arms took within their iterations."""
    (recorded,) = recordings(run)
    cell = next(each for each in run.results.cells if isinstance(each, SpeedCell))
    for step in recorded.steps:
        assert list(step.clocks) == sorted(step.clocks)
    for shown, row in (
        (recorded.steps[-1].clocks[-1], arm_of(cell, "draft", K)),
        (recorded.steps[-1].plain, arm_of(cell, "plain", 0)),
    ):
        columns = row.iterations
        parts = (columns.draft_ns, columns.verify_ns, columns.accept_ns, columns.rollback_ns, columns.other_ns)
        assert shown == pytest.approx(sum(map(sum, parts)) / 1e6)


def test_moments_go_from_the_first_guess_to_the_end(run: Run) -> None:
    """A guess at a time; the text grows when both caches are cut back, and never before."""
    (recorded,) = recordings(run)
    told = list(moments(recorded))
    assert told[0].phase == 0
    assert [each.phase for each in told].count(1) == sum(len(step.guesses) for step in recorded.steps)
    assert told[-1].written == 24
    for before, after in pairwise(told):
        assert after.written >= before.written
        assert (after.written > before.written) == (after.phase == 3)
        assert after.clock >= before.clock
        if after.phase == 1 and before.phase == 1:
            assert after.draft == before.draft + 1


def test_a_page_has_the_player_hidden_and_the_table_open(tmp_path: Path) -> None:
    """One section a kind; what a model wrote is characters in the page and nowhere else."""
    root = copy_site(tmp_path / "site", nasty=True)
    begin(root)
    soup = BeautifulSoup(playback(), "html.parser")
    sections = soup.select(".lab-recording")
    assert [str(each["data-kind"]) for each in sections] == ["prose", "code", "json"]
    for section in sections:
        player, table = section.select_one(".lab-player"), section.select_one("details")
        assert player is not None
        assert player.has_attr("hidden")
        assert table is not None
        assert table.has_attr("open")
        assert set(str(section["data-moments"])) <= set("0123456789.;e+- ")
    assert not soup.find("script")
    for tag in soup.select("code.piece"):
        assert tag.find(True) is None
    assert any("alert(1)" in tag.get_text() for tag in soup.select("code.piece"))
    assert "alert(1)" in NASTY


def test_a_run_without_recordings_says_so() -> None:
    """And one whose block is gone names it."""
    record, results = synthetic_run()
    traces = [each for each in results.cells if isinstance(each, TraceCell)]
    with pytest.raises(InputError, match="recorded no generation to play back"):
        recordings(run_of(*(each for each in results.cells if not isinstance(each, TraceCell))))
    with pytest.raises(InputError, match="is of a block that it does not hold"):
        recordings(run_of(*traces))
    assert record.plan.traces is not None
