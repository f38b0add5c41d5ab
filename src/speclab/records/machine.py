"""The machine that measured. Published, so of other processes it names only the program and its share."""

from __future__ import annotations

from speclab.records.base import Reading, Record


class Processor(Record):
    """The processor and what the run was allowed of it."""

    model: Reading[str]
    cores: int
    threads: int
    """Threads that the arithmetic used."""
    governor: Reading[str]
    frequency_mhz: Reading[float]
    memory_bytes: int


class Gpu(Record):
    """The card, at rest before the run."""

    model: str
    memory_bytes: int
    driver: Reading[str]
    cuda: Reading[str]
    ecc: Reading[bool]
    multiprocessors: Reading[int] = Reading[int](reason="not recorded")
    """Of the card, or of the slice of it that the run had."""


class OtherProcess(Record):
    """A heavy process that was not ours: its program's name and its share of one core."""

    name: str
    share: float


class Surroundings(Record):
    """What else used the machine while something was timed, on average."""

    others: Reading[tuple[OtherProcess, ...]] = Reading[tuple[OtherProcess, ...]](reason="not watched")
    """Heavy programs that were not ours, each with all its processes; the heaviest first."""
    steal: Reading[float] = Reading[float](reason="not watched")
    """Share of the cores' time that the host gave to other guests."""


class Moment(Record):
    """The state of the machine at one end of a run."""

    load: Reading[float]
    steal_seconds: Reading[float]
    """Seconds of processor time since boot that the host gave to other guests."""
    major_faults: Reading[int]
    """Pages that this process read from disk so far."""
    free_memory_bytes: int
    others: tuple[OtherProcess, ...]
    gpu_free_bytes: Reading[int]
    gpu_temperature: Reading[float]
    gpu_clock_mhz: Reading[float]
    gpu_throttle: Reading[str]
    gpu_others: Reading[int]
    """Other processes that hold memory of the card."""


class Machine(Record):
    """What a run was made on, and its state at both ends."""

    system: str
    python: str
    processor: Processor
    gpu: Gpu | None
    before: Moment
    after: Moment | None = None
