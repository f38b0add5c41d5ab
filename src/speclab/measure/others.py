"""Other processes that keep the machine busy. Their program's name and their share are all that is kept."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import psutil

from speclab.records.machine import OtherProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HEAVY = 0.05
"""Share of one core from which a process is named."""
MOST = 5
"""Processes named at most; the heaviest."""
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True, slots=True)
class Used:
    """Processor time that one process has used since it began."""

    name: str
    seconds: float


def other_processes(
    seconds: float = 0.5,
    *,
    look: Callable[[], dict[int, Used]] | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> tuple[OtherProcess, ...]:
    """Look twice, some time apart, and name what used the processor in between.

    Args:
        seconds: Time between the two looks.
        look: Processor time of every other process, by its id.
        wait: Lets that time pass.
    """
    look = look or used_by_others
    before = look()
    wait(seconds)
    after = look()
    shares = (
        (now.name, (now.seconds - before[pid].seconds) / seconds) for pid, now in after.items() if pid in before
    )
    heavy = sorted((each for each in shares if each[1] >= HEAVY), key=lambda each: -each[1])
    return tuple(OtherProcess(name=name, share=share) for name, share in heavy[:MOST])


def program_name(name: str) -> str:
    """The file name of a program, without path, arguments, or whatever else a process wrote into its title."""
    found = PLAIN_NAME.match(PurePath(name).name)
    return found.group() if found else "unnamed"


def used_by_others() -> dict[int, Used]:
    """Processor time of every process that is neither this one nor one of its children, by its id."""
    ours = psutil.Process()
    mine = {ours.pid, *(child.pid for child in ours.children(recursive=True))}
    return dict(_used(each for each in psutil.process_iter() if each.pid not in mine))


def _used(processes: Iterable[psutil.Process]) -> Iterable[tuple[int, Used]]:
    for each in processes:
        try:
            with each.oneshot():
                times = each.cpu_times()
                yield each.pid, Used(program_name(each.name()), times.user + times.system)
        except psutil.Error:
            continue  # it ended meanwhile, or may not be looked at
