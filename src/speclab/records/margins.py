"""Rows of `margins`: in float32, how close the two likeliest tokens are, and what the shape of a pass changes."""

from __future__ import annotations

from typing import Literal

from speclab.records.base import Reading, Record


class ShapeChange(Record):
    """The same text in passes of another length, against one token a pass."""

    length: int
    """Tokens of each pass; the last one takes what is left."""
    largest_logit_change: float
    """Of any logit in any row."""
    gap_changes: tuple[float, ...]
    """In each row, how much further plain's likeliest logit lies above plain's second; negative where less far."""
    flips: int
    """Rows in which another token was likeliest than with one token a pass."""


class ConstructedTie(Record):
    """A bias on one logit that ties two tokens in passes of one length, and not in passes of the other."""

    row: int
    """New token that the row decides, counted from 0."""
    gap: float
    """Distance of the two likeliest logits there, with one token a pass and without the bias."""
    biased: int
    """The token that is second after a pass over one; the bias is added to its logit."""
    bias: float
    """In float32: the gap that one of the two lengths leaves."""
    length: int
    """Tokens of the pass that decides otherwise than a pass over one."""
    token: int
    """Chosen after a pass over one token."""
    other_token: int
    """Chosen after a pass over `length` tokens."""
    text: str
    other_text: str


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
    constructed: Reading[ConstructedTie]
    """At the row with the smallest gap that any of these lengths changes."""
    nanoseconds: int

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"margins.{self.prompt}"
