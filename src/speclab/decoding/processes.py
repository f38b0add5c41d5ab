"""Processes of logits that need no model library: several in turn, and tokens that are banned for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.processed import Process
    from speclab.decoding.protocols import Rows


@dataclass(frozen=True, slots=True)
class BanUntil:
    """Makes some tokens impossible until a sequence is long enough.

    Attributes:
        ids: The tokens; those outside the vocabulary are impossible anyway.
        length: Of prompt and output together; with the row that follows so many tokens the ban is over.
    """

    ids: tuple[int, ...]
    length: int

    def __call__(self, prefix: Sequence[int], row: Rows) -> Rows:
        """The row with minus infinity for each banned token."""
        if len(prefix) >= self.length:
            return row
        banned = row + 0  # a copy that can be written to
        banned[[token for token in self.ids if 0 <= token < len(row)]] = -float("inf")
        return banned


@dataclass(frozen=True, slots=True)
class InTurn:
    """Applies several processes, each to what the one before it made of the row."""

    processes: tuple[Process, ...]

    def __call__(self, prefix: Sequence[int], row: Rows) -> Rows:
        """The row after the last of them."""
        for process in self.processes:
            row = process(prefix, row)
        return row
