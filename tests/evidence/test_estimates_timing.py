"""Pass times and their ratios, and what comes from the record."""

from __future__ import annotations

import pytest

from hand_rows import cycle, run_of
from speclab.evidence.estimates import EmptySelectionError, estimate
from speclab.evidence.estimates.timing import cost_ratio, pass_lengths, pass_ms, verify_ratio
from speclab.records.base import Reading
from speclab.records.reader import Run
from speclab.records.run import Memory
from synthetic import synthetic_run


def test_ratios_are_taken_within_a_cycle_so_that_drift_cancels() -> None:
    """The machine halves its speed after each cycle; c and v do not notice."""
    run = run_of(*(cycle(n, {1: 100 * 2**n, 9: 150 * 2**n}, {1: 40 * 2**n}) for n in range(3)))
    c = cost_ratio(run)
    assert c.value == pytest.approx(0.4)
    assert [c.low, c.high] == pytest.approx([0.4, 0.4])
    assert (c.n, c.of) == (3, "cycles")
    assert verify_ratio(run, n=9).value == pytest.approx(1.5)


def test_times_are_geometric_means_so_that_their_ratio_is_the_ratio() -> None:
    """100, 200 and 400 ms are 200 ms."""
    run = run_of(*(cycle(n, {1: 10**8 * 2**n}, {1: 10**7 * 3**n}) for n in range(3)))
    assert pass_ms(run, model="target", tokens=1).value == pytest.approx(200.0)
    drafts = pass_ms(run, model="draft", tokens=1).number()
    assert drafts / 200 == pytest.approx(cost_ratio(run).number())


def test_two_cycles_give_no_interval_and_say_so() -> None:
    """The reason speaks of cycles, not of prompts."""
    run = run_of(*(cycle(n, {1: 100}, {1: 40}) for n in range(2)))
    assert cost_ratio(run).reason == "2 cycles; an interval needs at least 3"


def test_what_an_iteration_costs_and_from_where_on_it_pays() -> None:
    """c = .4: with a check of 1.2 steps one guess breaks even at .6; four, with one of 3.5, cost more than 5."""
    run = run_of(cycle(0, {1: 100, 2: 120, 5: 350}, {1: 40}))
    assert estimate("steps_by_formula", run, {"k": 1}).value == pytest.approx(1.6)
    assert estimate("break_even_by_formula", run, {"k": 1}).value == pytest.approx(0.6)
    none = estimate("break_even_by_formula", run, {"k": 4})
    assert none.value is None
    assert none.reason is not None
    assert "no share of right guesses is enough" in none.reason


def test_a_length_that_was_not_timed_is_named() -> None:
    """Nothing is interpolated."""
    run = run_of(cycle(0, {1: 100, 5: 120}, {1: 40}))
    assert pass_lengths(run, "target") == (1, 5)
    with pytest.raises(EmptySelectionError, match=r"over 4 tokens.*it timed: 1, 5"):
        verify_ratio(run, n=4)
    with pytest.raises(EmptySelectionError, match="did not measure timing"):
        cost_ratio(run_of())


def test_a_length_that_one_cycle_misses_is_refused() -> None:
    """Or its samples would be paired with another cycle's."""
    run = run_of(cycle(0, {1: 100, 2: 120}, {1: 40}), cycle(1, {1: 100}, {1: 40}))
    with pytest.raises(EmptySelectionError, match="in each of its 2 cycles"):
        verify_ratio(run, n=2)


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("ratio_of_bytes", {}, 0.63 / 1.777),
        ("ratio_of_parameters", {}, 0.63 / 1.777),
        ("ratio_of_layers", {}, 24 / 28),
        ("weight_bytes", {"model": "draft"}, 1.26e9),
        ("parameters", {"model": "target"}, 1.777e9),
        ("layers", {"model": "target"}, 28),
        ("cache_bytes", {"model": "target", "tokens": 10}, 286_720),
        ("peak_bytes", {}, 6.2e9),
        ("run_minutes", {}, 8),
        ("prompt_count", {}, 6),
        ("prompt_count", {"kind": "code"}, 1),
    ],
)
def test_numbers_of_the_record(name: str, where: dict[str, object], value: float) -> None:
    """Read, not sampled: no interval, and the reason says so."""
    found = estimate(name, Run(*synthetic_run()), where)
    assert found.value == pytest.approx(value)
    assert found.low is None
    assert found.reason


def test_a_pause_is_no_part_of_the_minutes() -> None:
    """Gone on with the next day, a run has not taken a day."""
    record, results = synthetic_run()
    paused = record.model_copy(update={"resumed": (record.started,), "seconds": {"speed": 90.0, "timing": 30.0}})
    assert estimate("run_minutes", Run(paused, results), {}).value == 2.0


def test_a_peak_that_could_not_be_read_is_null_with_its_reason() -> None:
    """Not zero."""
    record, results = synthetic_run()
    unread = Memory(peak_bytes=Reading[int](reason="no such file"), weights_resident=Reading[bool](value=True))
    blind = Run(record.model_copy(update={"memory": unread}), results)
    assert (estimate("peak_bytes", blind, {}).value, estimate("peak_bytes", blind, {}).reason) == (
        None,
        "no such file",
    )
    early = Run(record.model_copy(update={"memory": None, "ended": None}), results)
    assert estimate("peak_bytes", early, {}).value is None
    assert estimate("run_minutes", early, {}).value is None
