"""Residency: each sign of weights that were not in memory discards a run, and a sound run has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclab.backends.device import CardState, DeviceState
from speclab.measure.residency import Holdings, holdings, judge
from speclab.measure.steps import draft_step_ns, target_step_ns
from speclab.records.base import Reading
from speclab.records.rows import SpeedCell, TimingCell
from synthetic import synthetic_run

if TYPE_CHECKING:
    from speclab.records.rows import Cell
    from speclab.records.run import Memory

GB = 1_000_000_000
WEIGHTS = 2 * (1_777_000_000 + 630_000_000)
SOUND = Holdings(total=25 * GB, free=18 * GB, held=8 * GB, peak=Reading[int](value=6 * GB))


def verdict(
    loaded: dict[str, Any] | None = None,
    ended: dict[str, Any] | None = None,
    cells: tuple[Cell, ...] | None = None,
    draft: dict[str, Any] | None = None,
    slow: float = 1.0,
) -> Memory:
    """A simulated run, with one thing changed."""
    record, results = synthetic_run(slow=slow)

    def changed(what: dict[str, Any] | None) -> Holdings:
        return Holdings(**{name: getattr(SOUND, name) for name in SOUND.__slots__} | (what or {}))

    return judge(
        record.target,
        record.draft.model_copy(update=draft or {}),
        results.cells if cells is None else cells,
        loaded=changed(loaded),
        ended=changed(ended),
    )


def with_faults(faults: Reading[int]) -> tuple[Cell, ...]:
    cells = synthetic_run()[1].cells
    return tuple(
        cell.model_copy(update={"major_faults": faults}) if isinstance(cell, TimingCell | SpeedCell) else cell
        for cell in cells
    )


def test_a_sound_run_is_resident_without_a_word() -> None:
    """No reason, no warning, the peak as it was read."""
    memory = verdict()
    assert memory.weights_resident.value is True
    assert (memory.reason, memory.warnings) == (None, ())
    assert memory.peak_bytes.value == 6 * GB


CACHES = 92 * (6 * 28_672 + 4 * 12_288)
"""92 positions; a cache for each arm and one for the prompt, of 28,672 and 12,288 bytes a position: 20.3 MB."""


def test_weights_and_caches_larger_than_the_device_are_not_resident() -> None:
    """Neither fits without the other."""
    assert verdict(loaded={"total": WEIGHTS + CACHES}).weights_resident.value is True
    memory = verdict(loaded={"total": WEIGHTS + CACHES - 1})
    assert memory.weights_resident.value is False
    assert "weights and caches take 4.83 GB" in str(memory.reason)


def test_weights_that_the_process_does_not_hold_are_not_resident() -> None:
    """Every weight was touched: what the device does not hold lies elsewhere, a draft left off it too (B12)."""
    assert verdict(loaded={"held": WEIGHTS}).weights_resident.value is True
    memory = verdict(loaded={"held": WEIGHTS - 1})
    assert memory.weights_resident.value is False
    assert "of weights were in the device's memory" in str(memory.reason)


def test_no_room_left_for_the_caches_is_not_resident() -> None:
    """Everything is loaded, and the first block already has nowhere to go."""
    assert verdict(loaded={"free": CACHES}).weights_resident.value is True
    memory = verdict(loaded={"free": CACHES - 1})
    assert memory.weights_resident.value is False
    assert "were free once both models were loaded" in str(memory.reason)


@pytest.mark.parametrize(
    ("faults", "resident"), [(0, True), (100, True), (367, True), (368, False), (30_000, False)]
)
def test_pages_read_again_from_disk_are_weights_that_were_not_there(faults: int, resident: bool) -> None:
    """The limit is one percent of the weights at 128 kB a fault: 367 of them for 4.81 GB."""
    memory = verdict(cells=with_faults(Reading[int](value=faults)))
    assert memory.weights_resident.value is resident
    assert resident or f"read {faults} pages from disk" in str(memory.reason)


def test_faults_that_could_not_be_counted_say_nothing() -> None:
    """A system without the count does not discard its runs."""
    assert verdict(cells=with_faults(Reading[int](reason="not counted"))).weights_resident.value is True


def test_a_draft_slower_than_its_larger_target_is_not_resident() -> None:
    """Smaller in bytes and no deeper, it cannot be slower from the same memory; both times are named."""
    memory = verdict(slow=3.0)
    assert memory.weights_resident.value is False
    assert "a step of the draft took 22" in str(memory.reason)
    assert "target 19" in str(memory.reason)


@pytest.mark.parametrize("draft", [{"weight_bytes": 2 * 1_777_000_000}, {"layers": 29}])
def test_a_draft_as_large_or_deeper_may_be_slower(draft: dict[str, int]) -> None:
    """Then slowness says nothing about where it lies."""
    assert verdict(slow=3.0, draft=draft).weights_resident.value is True


def test_several_signs_are_all_named() -> None:
    """The reason is one line with each of them."""
    memory = verdict(loaded={"held": 3 * GB, "free": 0}, slow=3.0)
    assert str(memory.reason).count("; ") == 2


def test_more_allocated_than_the_device_has_is_a_warning() -> None:
    """Some systems lend a card the machine's memory without a word (B12)."""
    memory = verdict(ended={"total": 12 * GB, "peak": Reading[int](value=13 * GB)})
    assert memory.weights_resident.value is True
    assert [line for line in memory.warnings if "13.00 GB were allocated on a device of 12.00 GB" in line]


def test_a_device_that_is_nearly_full_is_a_warning() -> None:
    """From 95 percent on (B12)."""
    assert verdict(ended={"total": 100, "peak": Reading[int](value=0)}).warnings
    assert not verdict(ended={"total": 12 * GB, "peak": Reading[int](value=int(11.3 * GB))}).warnings
    (line,) = verdict(ended={"total": 12 * GB, "peak": Reading[int](value=int(11.5 * GB))}).warnings
    assert "more than 95%" in line


def test_steps_come_from_timing_and_without_it_from_speed() -> None:
    """Both ways see the simulated 190 and 75 ms."""
    cells = synthetic_run()[1].cells
    only_speed = tuple(cell for cell in cells if isinstance(cell, SpeedCell))
    for chosen in (cells, only_speed):
        assert target_step_ns(chosen) == pytest.approx(190e6, rel=0.02)
        assert draft_step_ns(chosen) == pytest.approx(75e6, rel=0.02)
    assert target_step_ns(()) is None
    assert draft_step_ns(()) is None


def test_memory_is_the_card_s_where_there_is_one() -> None:
    """What the process holds on it, not what it holds of the machine."""
    card = CardState("card", "GPU-1", "12.8", 132, 12 * GB, 3 * GB, 8 * GB, 9 * GB)
    assert holdings(DeviceState(1, card)) == Holdings(12 * GB, 3 * GB, 8 * GB, Reading[int](value=9 * GB))


def test_memory_of_a_machine_without_a_card_is_its_own() -> None:
    """This process lies in memory, and its peak is no less than it holds."""
    here = holdings(DeviceState(1))
    assert 0 < here.held < here.total
    assert here.peak.value is not None
    assert here.peak.value >= 0.9 * here.held
