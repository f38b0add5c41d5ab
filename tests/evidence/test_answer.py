"""The answer in five lines."""

from __future__ import annotations

import pytest

from hand_rows import arm, block, cycle, run_of
from speclab.evidence.answer import answer
from speclab.records.reader import Run
from speclab.records.rows import Changed, DivergenceCell, Results
from synthetic import synthetic_run

NAMES = ["Best k", "Where it loses", "Acceptance", "What limits it", "Same output"]


def _lines(run: Run) -> dict[str, str]:
    found = answer(run)
    split = [line.partition(": ") for line in found]
    assert [name for name, _, _ in split] == NAMES
    assert all("\n" not in line for line in found)
    return {name: text for name, _, text in split}


def test_a_run_that_pays() -> None:
    """k, factor, interval; where the least is; alpha against break-even; the draft; one tie."""
    lines = _lines(Run(*synthetic_run()))
    assert lines["Best k"].startswith("4, 1.48 times as fast as plain (95 % interval 1.33 to 1.63, 6 prompts)")
    assert lines["Where it loses"].startswith(
        "nowhere among the kinds and k measured; the least gain is 1.07 times"
    )
    assert "alpha is 0.87 at k = 4, break-even is 0.68" in lines["Acceptance"]
    assert lines["What limits it"].startswith("the draft; by the cost model at k = 4, 1.44 times would become")
    assert lines["Same output"] == "17 of 18 outputs equal plain's; the others differ first by: tie (1)"


def test_a_run_that_does_not_pay() -> None:
    """Said plainly."""
    lines = _lines(Run(*synthetic_run(slow=3.0)))
    assert lines["Best k"].startswith("none pays; the best of those measured is 1, 0.86 times")
    assert "0 of 18 combinations of kind and k gain" in lines["Where it loses"]
    assert " and 14 more" in lines["Where it loses"]
    assert "no alpha would be enough with c = 1.18" in lines["Acceptance"]


def _limited(draft: int, check: int, accepted: tuple[int, ...], *, step: int = 100) -> dict[str, str]:
    """The lines of a run without overhead."""
    spent = len(accepted) * (2 * draft + check)
    row = arm("draft", 2, spent, accepted, draft_ns=2 * draft, verify_ns=check)
    return _lines(run_of(block("prose-1", row, plain=(800, 800)), cycle(0, {1: step, 3: check}, {1: draft})))


@pytest.mark.parametrize(
    ("draft", "check", "accepted", "limit"),
    [
        (90, 101, (2, 2, 1), "the draft"),
        (1, 300, (2, 2, 1), "the check"),
        (1, 101, (0, 0, 1), "the guess"),
    ],
)
def test_what_limits(draft: int, check: int, accepted: tuple[int, ...], limit: str) -> None:
    """A dear draft, a dear check, a poor guess: each is named where it is the one."""
    assert _limited(draft, check, accepted)["What limits it"].startswith(f"{limit};")


def test_a_check_that_costs_less_than_a_step_is_not_made_dearer() -> None:
    """A measured v can fall under 1 by noise: then there is nothing to gain from a cheaper check."""
    line = _limited(50, 80, (2, 2, 1))["What limits it"]
    now = line.partition("at k = 2, ")[2][:4]
    assert f"a check as cheap as one token {now}" in line


def test_what_was_not_measured_is_said_in_its_line() -> None:
    """A run of `speed` alone still says what it can."""
    lines = _lines(run_of(block("prose-1", arm("draft", 2, 50, (2, 0)), plain=(100, 100))))
    assert (
        lines["Best k"] == "2, 2.00 times as fast as plain (no interval: 1 prompt; an interval needs at least 3)"
    )
    assert lines["Acceptance"].startswith("alpha is 0.67 at k = 2; what it would have to be is not known")
    assert lines["What limits it"].startswith("not measured (")
    assert lines["Same output"].startswith("not measured (")
    empty = _lines(run_of())
    assert all(text.startswith("not measured (") for text in empty.values())


def test_any_alpha_is_enough_where_an_iteration_costs_no_more_than_a_step() -> None:
    """C at most 1."""
    assert "alpha is 0.83 at k = 2, and any alpha is enough" in _limited(1, 90, (2, 2, 1))["Acceptance"]


def test_kinds_below_break_even_are_named() -> None:
    """Prose is, code is not."""
    rows = {"prose-1": (0, 0, 0), "code-1": (2, 2, 2)}
    blocks = [block(name, arm("draft", 2, 480, each, draft_ns=60, verify_ns=100)) for name, each in rows.items()]
    line = _lines(run_of(*blocks, cycle(0, {1: 100, 3: 100}, {1: 30})))["Acceptance"]
    assert line.endswith("; below it: prose")


def test_bugs_and_outputs_that_changed_are_not_passed_over() -> None:
    """Nor plain that did not repeat."""
    record, results = synthetic_run()
    (cell,) = (each for each in results.cells if isinstance(each, DivergenceCell) and each.prompt == "chat-1")
    changes = {
        "differences": tuple(each.model_copy(update={"verdict": "bug"}) for each in cell.differences),
        "comparisons": tuple(
            each.model_copy(update={"identical": False}) if each.arm == "plain_again" else each
            for each in cell.comparisons
        ),
        "changed": (Changed(arm="draft", k=4, blocks=("b",)),),
    }
    cells = tuple(each.model_copy(update=changes) if each is cell else each for each in results.cells)
    line = _lines(Run(record, Results(run=record.id, cells=cells)))["Same output"]
    assert "the others differ first by: bug (1)" in line
    assert "plain itself repeated in 5 of 6" in line
    assert "1 configurations changed from block to block, which must not be" in line
