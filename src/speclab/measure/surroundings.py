"""What else used the machine while something was timed: other programs, and the host's other guests."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

import psutil

from speclab.measure.others import HEAVY, MOST, used_by_others
from speclab.measure.steal import steal_seconds
from speclab.records.base import Reading
from speclab.records.machine import OtherProcess, Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.measure.others import Used

LEAST_SECONDS = 0.25
"""Systems count processor time in hundredths of a second; in less time than this, a few of them look like much."""


class Lookout:
    """Looks at the machine when it is made, and again when it is asked. Nothing runs in between.

    A look takes about ten milliseconds, so it belongs outside whatever is timed.
    """

    def __init__(
        self,
        *,
        look: Callable[[], dict[int, Used]] | None = None,
        steal: Callable[[], Reading[float]] = steal_seconds,
        cores: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the first look.

        Args:
            look: Processor time of every other process, by its id.
            steal: Seconds that all cores gave to other guests so far.
            cores: How many those are; all of this machine by default, whether the process may use them or not.
            clock: Seconds.
        """
        self._look = look or used_by_others
        self._steal = steal
        self._cores = cores or psutil.cpu_count() or 1
        self._clock = clock
        self._start = self._now()

    def since(self) -> Surroundings:
        """What used the machine since this lookout was made."""
        (begun, used_before, steal_before), (ended, used, steal) = self._start, self._now()
        seconds = ended - begun
        if seconds < LEAST_SECONDS:
            short = f"it took {seconds:.2f} s, too short to tell"
            return Surroundings(
                others=Reading[tuple[OtherProcess, ...]](reason=short), steal=Reading[float](reason=short)
            )
        return Surroundings(
            others=Reading[tuple[OtherProcess, ...]](value=_programs(used_before, used, seconds)),
            steal=_share(steal_before, steal, seconds * self._cores),
        )

    def _now(self) -> tuple[float, dict[int, Used], Reading[float]]:
        # The clock first in both looks, so that as much of a look lies within the time as outside it.
        return self._clock(), self._look(), self._steal()


def _programs(before: dict[int, Used], after: dict[int, Used], seconds: float) -> tuple[OtherProcess, ...]:
    """The heaviest programs, each with all of its processes: a compiler is many short ones."""
    used: defaultdict[str, float] = defaultdict(float)
    for pid, now in after.items():
        earlier = before[pid].seconds if pid in before else 0.0
        # A process that began meanwhile may have taken over the id of one that had used more.
        used[now.name] += now.seconds - (earlier if earlier <= now.seconds else 0.0)
    heaviest = sorted(used.items(), key=lambda each: -each[1])[:MOST]
    shares = ((name, spent / seconds) for name, spent in heaviest)
    return tuple(OtherProcess(name=name, share=share) for name, share in shares if share >= HEAVY)


def _share(before: Reading[float], after: Reading[float], core_seconds: float) -> Reading[float]:
    if before.value is None or after.value is None:
        return after if after.value is None else before
    return Reading[float](value=(after.value - before.value) / core_seconds)
