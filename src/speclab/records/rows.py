"""The raw rows of the experiments, in the order they were measured. Times are whole nanoseconds.

A cell (experiment x prompt x round) is the unit of saving. Format 1.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from speclab.records.base import Reading, Record

ModelRole: TypeAlias = Literal["target", "draft"]
ArmName: TypeAlias = Literal["plain", "plain_again", "draft"]
Rule: TypeAlias = Literal["ratio", "fresh_draw", "draft_kept"]
"""The right rule; a fresh draw from p after a rejection (wrong); the draft's token kept (wrong)."""


class PassTime(Record):
    """One timed pass: a model, fed `tokens` tokens after the context, at its place in the cycle."""

    model: ModelRole
    tokens: int
    nanoseconds: int
    place: int


class TimingCell(Record):
    """One cycle, which visits every length of both models once."""

    experiment: Literal["timing"] = "timing"
    round: int
    context_tokens: int
    warm_up_passes: int = 0
    """Untimed passes of either model that came before the first timed one."""
    major_faults: Reading[int] = Reading[int](reason="not counted")
    """Pages that this process read from disk while this cell was timed."""
    passes: tuple[PassTime, ...]

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"timing.r{self.round}"


class IterationColumns(Record):
    """The iterations of one arm, in order, a column a quantity (lists of equal length)."""

    proposals: tuple[tuple[int, ...], ...]
    """The proposed tokens themselves, the refused ones too: what was fed, so that the passes can be replayed."""
    proposed: tuple[int, ...]
    accepted: tuple[int, ...]
    committed: tuple[int, ...]
    complete: tuple[bool, ...]
    draft_ns: tuple[int, ...]
    verify_ns: tuple[int, ...]
    accept_ns: tuple[int, ...]
    rollback_ns: tuple[int, ...]
    other_ns: tuple[int, ...]

    @model_validator(mode="after")
    def _equal_lengths(self) -> Self:
        lengths = {name: len(getattr(self, name)) for name in type(self).model_fields}
        if len(set(lengths.values())) > 1:
            msg = f"columns of one arm differ in length: {lengths}"
            raise ValueError(msg)
        if self.proposed != tuple(len(tokens) for tokens in self.proposals):
            msg = "the counts of proposed tokens are not those of the proposals"
            raise ValueError(msg)
        return self

    def __len__(self) -> int:
        return len(self.proposed)


class Turn(Record):
    """One turn of an arm: its place in the rotation, its wall time between synchronisations, its tokens."""

    turn: int
    place: int
    nanoseconds: int
    committed: int


class ArmRow(Record):
    """What one arm did in one block."""

    arm: ArmName
    k: int
    ids: tuple[int, ...]
    iterations: IterationColumns
    turns: tuple[Turn, ...]

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if sum(self.iterations.committed) != len(self.ids):
            counted = sum(self.iterations.committed)
            msg = f"arm {self.arm} k={self.k}: {counted} tokens committed, {len(self.ids)} in the output"
            raise ValueError(msg)
        return self

    @property
    def decode_ns(self) -> int:
        """Decode time: the turns together."""
        return sum(turn.nanoseconds for turn in self.turns)


class SpeedCell(Record):
    """One block: every arm on one prompt, in turns. `attempt` is 1 for the repeat of a disturbed block."""

    experiment: Literal["speed"] = "speed"
    prompt: str
    kind: str
    round: int
    attempt: int = 0
    prompt_tokens: int
    warm_up_passes: int = 0
    """Untimed passes of either model that came before the first timed one."""
    major_faults: Reading[int] = Reading[int](reason="not counted")
    """Pages that this process read from disk while this cell was timed."""
    prefill_target_ns: int
    prefill_draft_ns: int
    arms: tuple[ArmRow, ...]
    disturbed: str | None = None
    """Why this block does not count, or null. A repeat counts whatever it shows."""

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"speed.{self.prompt}.r{self.round}.a{self.attempt}"


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


Cell: TypeAlias = Annotated[
    TimingCell | SpeedCell | RecomputedCell | DivergenceCell | DistributionCell, Field(discriminator="experiment")
]


class Results(Record):
    """The file `results.json`."""

    format: Literal[1] = 1
    run: str
    cells: tuple[Cell, ...]
