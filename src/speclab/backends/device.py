"""What a backend says of the device that it computes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CardState:
    """A graphics card at one moment, as the library that computes on it sees it.

    Attributes:
        model: The maker's name of it.
        uuid: By which its driver's tool finds it; never written down.
        runtime: Version of CUDA that the library was built with.
        multiprocessors: Of the card, or of the slice of it that is ours: its random numbers hang on this too.
        total_bytes: Memory of the card.
        free_bytes: What nobody holds of it.
        allocated_bytes: What this process holds in tensors.
        peak_bytes: The most that it held so far.
    """

    model: str
    uuid: str
    runtime: str
    multiprocessors: int
    total_bytes: int
    free_bytes: int
    allocated_bytes: int
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class DeviceState:
    """The device at one moment: the threads that the arithmetic uses, and the card where there is one."""

    threads: int
    card: CardState | None = None
