"""Rows of `exactness`: laws of the loop's output, with every outcome counted, beside the target's own."""

from __future__ import annotations

from typing import Literal

from speclab.records.base import Reading, Record


class Enumerated(Record):
    """One configuration, walked through every outcome."""

    backend: Literal["table", "transformer"]
    vocabulary: int
    k: int
    tokens: int
    """New tokens whose joint law was computed."""
    draft: str
    """Which draft: `noisy`, `perfect`, `useless`."""
    target_sampling: str
    draft_sampling: str
    paths: int
    """Paths of decisions that were walked, one iteration each."""
    outcomes: int
    """Sequences that can come out."""
    total_variation: float
    """Of the output's law from the target's exact joint law."""
    largest_error: float
    """Largest difference of a sequence's probability from the exact one."""
    smallest_distance: float
    """Smallest total variation of the target's and the draft's laws at any position that was reached."""
    acceptance: Reading[float]
    """Share of the decided proposals that stood, over all outcomes by their probability."""
    acceptance_without: Reading[float]
    """The same without the fault, where the draft's cache has one."""


class ExactnessCell(Record):
    """One rule, proposer or cache, right or wrong on purpose, in every configuration that it was walked in."""

    experiment: Literal["exactness"] = "exactness"
    subject: str
    says: str
    """What it is, in one line."""
    part: Literal["rule", "proposer", "target cache", "draft cache"]
    exact: bool
    """Whether its law has to be the target's."""
    configurations: tuple[Enumerated, ...]
    cache_error: Reading[float]
    """Largest difference of a key or value of either cache from a fresh pass, where both have the position."""
    verdict: Literal["exact", "wrong as it must be", "failed"]
    nanoseconds: int

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"exactness.{self.subject}"
