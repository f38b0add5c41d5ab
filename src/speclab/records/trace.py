"""Rows of `traces`: the words to a generation whose tokens and clocks stand in a block of `speed`."""

from __future__ import annotations

from typing import Literal

from speclab.records.base import Record


class Piece(Record):
    """One token of the vocabulary and how it reads."""

    token: int
    text: str
    """As it stands in a text; a byte that is no character by itself as `\\xNN`."""


class TraceCell(Record):
    """One generation that can be played back: which block and arm, and how each of its tokens reads.

    Tokens, proposals, cache lengths and both arms' clocks are those of the block, so that they stand once.
    """

    experiment: Literal["traces"] = "traces"
    block: str
    """Key of the block's cell."""
    prompt: str
    kind: str
    k: int
    """The arm that is played back beside plain decoding."""
    prompt_end: tuple[int, ...]
    """The last tokens of the prompt, to read on from."""
    pieces: tuple[Piece, ...]
    """Every token of the prompt's end, of both outputs and of the proposals, by its number."""

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"traces.{self.prompt}"
