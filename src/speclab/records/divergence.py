"""Rows of `divergence`: outputs against plain's, and their first differences."""

from __future__ import annotations

from typing import Literal

from speclab.records.arms import ArmName
from speclab.records.base import Reading, Record


class Comparison(Record):
    """An arm's output against plain's, in one block."""

    arm: ArmName
    k: int
    round: int
    attempt: int = 0
    identical: bool
    index: int | None
    """Index of the first new token that differs, or null."""
    difference: int | None
    """Which of the cell's differences this is, or null."""


class Changed(Record):
    """A configuration whose output was not the same in every block, which must not be."""

    arm: ArmName
    k: int
    blocks: tuple[str, ...]
    """Keys of the blocks whose output differs from the first one's."""


class Way(Record):
    """Both tokens' logits, computed in one way."""

    name: str
    plain_logit: float
    arm_logit: float
    favours: Literal["plain", "arm", "neither", "other"]
    """Neither where the two are equal; other where a third token is likelier than both."""


class Recomputed(Record):
    """A first difference, computed again in every way, in the dtype of the run."""

    arm: ArmName
    k: int
    index: int
    prefix_sha256: str
    plain_token: int
    arm_token: int
    plain_text: str
    arm_text: str
    gap: float
    """Smallest gap between the two logits over the ways of computing."""
    spacing: float
    """Distance between neighbouring numbers of the dtype at the largest of these logits."""
    noise: float
    """Largest change of either logit, or of their difference, between the fresh ways and plain's replay."""
    row_noise: float
    """Largest change of any logit of the row between the same ways."""
    ways: tuple[Way, ...]
    plain_repeats: bool
    arm_repeats: bool


class Difference(Recomputed):
    """A first difference, classified as `speclab.experiments.classify` says."""

    float32: tuple[Way, ...]
    """The same ways in float32."""
    float32_noise: float | None = None
    """Largest change of any logit of the row in float32, between the fresh ways and plain's replay."""
    float32_reason: str | None = None
    """Why there was no float32 rerun, where there was none."""
    verdict: Literal["tie", "shape numerics", "bug", "not repeatable"]


class Float32Output(Record):
    """Whole outputs in float32: plain against a draft of k proposals."""

    k: int
    new_tokens: int
    identical: bool
    difference: Difference | None
    """The first difference, computed again in float32, or null."""


class RecomputedCell(Record):
    """All arms and rounds of one prompt against plain, before the float32 rerun that settles the verdicts."""

    experiment: Literal["recomputed"] = "recomputed"
    prompt: str
    kind: str
    comparisons: tuple[Comparison, ...]
    changed: tuple[Changed, ...]
    differences: tuple[Recomputed, ...]

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"recomputed.{self.prompt}"


class DivergenceCell(Record):
    """All arms and rounds of one prompt against plain."""

    experiment: Literal["divergence"] = "divergence"
    prompt: str
    kind: str
    comparisons: tuple[Comparison, ...]
    changed: tuple[Changed, ...] = ()
    differences: tuple[Difference, ...]
    float32_output: Reading[Float32Output] = Reading[Float32Output](reason="not asked for")

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"divergence.{self.prompt}"
