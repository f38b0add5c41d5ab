"""How long work tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Report(Protocol):
    """Called with what is being done, and how many bytes of how many; a total of 0 where no one can say."""

    def __call__(self, what: str, done: int, total: int, /) -> None:
        """Take in one moment of the work."""
        ...


def silent(what: str, done: int, total: int, /) -> None:
    """Tell nobody."""
