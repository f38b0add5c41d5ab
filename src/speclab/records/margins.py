"""Rows of `margins`: in float32, how close the two likeliest tokens are, and what the shape of a pass changes."""

from __future__ import annotations

from typing import Literal

from speclab.records.base import Record


class ShapeChange(Record):
    """The same text in passes of another length, against one token a pass."""

    length: int
    """Tokens of each pass."""
    largest_logit_change: float
    """Of any logit in any row."""
    gap_changes: tuple[float, ...]
    """Change of the difference between plain's two likeliest logits, in each row."""
    flips: int
    """Rows in which another token was likeliest than with one token a pass."""


class MarginsCell(Record):
    """One text, decoded greedily with one token a pass, and the same text in passes of other lengths."""

    experiment: Literal["margins"] = "margins"
    prompt: str
    kind: str
    dtype: Literal["float32"] = "float32"
    prompt_tokens: int
    gaps: tuple[float, ...]
    """Distance of the two largest logits, in each row that decided a new token."""
    spacing: float
    """Distance between neighbouring numbers of the dtype at the largest of these logits."""
    shapes: tuple[ShapeChange, ...]
    nanoseconds: int

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"margins.{self.prompt}"
