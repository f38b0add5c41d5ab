"""Rows of `disagreement`: where in the texts the two models differ most, and the rules tested there."""

from __future__ import annotations

from typing import Literal

from speclab.records.base import Record
from speclab.records.distribution import RuleTest


class DisagreementContext(Record):
    """One context that was found by the search, and the three rules drawn from there."""

    position: int
    """Tokens of the text before the one that is decided."""
    total_variation: float
    tests: tuple[RuleTest, ...]


class DisagreementCell(Record):
    """One text: the prompt, and plain's output where `speed` made one."""

    experiment: Literal["disagreement"] = "disagreement"
    prompt: str
    kind: str
    prompt_tokens: int
    text_tokens: int
    """With the output. Where `total_variations` is shorter, a model's context ended before the text."""
    temperature: float
    false_alarm: float
    total_variations: tuple[float, ...]
    """Of the two models' laws after the first token of the text, after the second, and so on."""
    contexts: tuple[DisagreementContext, ...]
    """Those where the two differ most, in falling order."""
    nanoseconds: int

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"disagreement.{self.prompt}"
