"""Rows of `distribution`: the draws of three rules against the target's law."""

from __future__ import annotations

from typing import Literal, TypeAlias

from speclab.records.base import Reading, Record

Rule: TypeAlias = Literal["ratio", "fresh_draw", "draft_kept"]
"""The right rule; a fresh draw from p after a rejection (wrong); the draft's token kept (wrong)."""


class RuleTest(Record):
    """One rule's draws against the target's law."""

    rule: Rule
    draws: int
    cells: int
    pooled_mass: float
    statistic: Reading[float]
    degrees: int
    p_value: Reading[float]
    total_variation: float
    """Exact total variation of this rule's own law from the target's: 0 for the right rule."""
    power: float
    """Chance that this test would see this rule's law (wrong rules) at the stated false-alarm rate."""
    needed: Reading[int] = Reading[int](reason="not recorded")
    """Draws with which a test like this sees this rule's law with a power of .99 (wrong rules)."""
    verdict: Literal["passed", "failed", "rejected", "missed", "blind", "not testable"]
    """The right rule passed or failed, or was blind where no wrong rule could be seen; wrong ones the others."""


class DistributionCell(Record):
    """The first sampled token after one context, for one seed."""

    experiment: Literal["distribution"] = "distribution"
    prompt: str
    kind: str
    seed: int
    temperature: float
    false_alarm: float
    total_variation: float
    """Total variation of the target's law p and the draft's law q at this context."""
    acceptance: float
    """Exact probability that a proposal stands there: 1 - total variation."""
    tests: tuple[RuleTest, ...]
    nanoseconds: int

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"distribution.{self.prompt}.s{self.seed}"
