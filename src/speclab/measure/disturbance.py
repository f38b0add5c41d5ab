"""What disturbed a block so much that it is measured once more, and what a short one cannot show."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.records.machine import OtherProcess, Surroundings
    from speclab.records.rows import ArmRow, IterationColumns

PLAIN_APART = 0.03
"""Two runs of the same arm in turns differ by about .005; six times that is not the arms' doing."""
DRIFT = 0.10
OTHERS = 0.25
"""Share of one core. A pass waits for its slowest thread, so this holds up as much as a quarter of the time."""
STEAL = 0.05
"""Share of all cores' time. On two cores it stops one of them for a tenth of the time, and the pass with it."""
FEWEST_STEPS = 12
"""A third then holds four steps of either plain arm; a median of fewer follows a single stall of both."""
FEWEST_CYCLES = 5
"""A median of five stands against two cycles that were held up; one of fewer does not."""


def disturbance(arms: Sequence[ArmRow], around: Surroundings) -> str | None:
    """Why a block is disturbed, every cause of it; None where it is not.

    Its two plain arms differ by more than 3 %; or their steps of the first and the last third differ by more than
    10 % (medians, both arms together: a single slow step is no drift); or something from outside took part.

    Args:
        arms: All of the block; only the plain ones tell of the machine.
        around: What else used the machine meanwhile.
    """
    plains = [arm for arm in arms if arm.k == 0]
    return "; ".join([*_apart(plains), *_drift(plains), *_outside(around)]) or None


def interference(around: Surroundings) -> str | None:
    """What disturbed anything timed from outside, every cause of it; None where nothing did."""
    return "; ".join(_outside(around)) or None


def heavy(around: Surroundings) -> tuple[OtherProcess, ...]:
    """The other programs that took a quarter of a core or more."""
    return tuple(each for each in around.others.value or () if each.share >= OTHERS)


def too_few_steps(arms: Sequence[ArmRow]) -> str | None:
    """Why a drift within a block would not show; None where it would."""
    steps = _fewest([arm for arm in arms if arm.k == 0])
    return f"plain took {steps} steps, and a drift shows from {FEWEST_STEPS} on" if steps < FEWEST_STEPS else None


def too_few_cycles(cycles: int) -> str | None:
    """Why a median over the cycles of a timing may be that of a disturbed one; None where it is not."""
    if cycles >= FEWEST_CYCLES:
        return None
    return f"it has {cycles} cycles, and a median stands against disturbed ones from {FEWEST_CYCLES} on"


def _apart(plains: Sequence[ArmRow]) -> Iterator[str]:
    times = [arm.decode_ns for arm in plains]
    apart = max(times) / min(times) - 1
    if apart > PLAIN_APART:
        yield f"the two plain arms differ by {apart:.1%}, more than {PLAIN_APART:.0%}"


def _drift(plains: Sequence[ArmRow]) -> Iterator[str]:
    if _fewest(plains) < FEWEST_STEPS:
        return
    steps = [_totals(arm.iterations) for arm in plains]
    early = median([time for each in steps for time in each[: len(each) // 3]])
    late = median([time for each in steps for time in each[-(len(each) // 3) :]])
    drift = max(early, late) / min(early, late) - 1
    if drift > DRIFT:
        yield f"plain steps of the first and the last third differ by {drift:.1%}, more than {DRIFT:.0%}"


def _outside(around: Surroundings) -> Iterator[str]:
    if programs := heavy(around):
        named = ", ".join(f"{each.name} {each.share:.0%}" for each in programs)
        yield f"other programs took {OTHERS:.0%} of one core or more: {named}"
    if (steal := around.steal.value) is not None and steal >= STEAL:
        yield f"the host gave {steal:.1%} of the cores' time to other guests, {STEAL:.0%} or more"


def _fewest(plains: Sequence[ArmRow]) -> int:
    return min(len(arm.iterations.proposed) for arm in plains)


def _totals(rows: IterationColumns) -> list[int]:
    parts = (rows.draft_ns, rows.verify_ns, rows.accept_ns, rows.rollback_ns, rows.other_ns)
    return [sum(times) for times in zip(*parts, strict=True)]
