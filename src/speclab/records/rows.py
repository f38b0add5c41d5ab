"""The raw rows of the experiments, in the order they were measured. Times are whole nanoseconds.

A cell (experiment x prompt x round) is the unit of saving. Format 1. The records of the other files are had from
here too.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from speclab.records.arms import ArmName, ArmRow, IterationColumns, Turn
from speclab.records.base import Reading, Record
from speclab.records.disagreement import DisagreementCell, DisagreementContext
from speclab.records.distribution import DistributionCell, Rule, RuleTest
from speclab.records.divergence import (
    Changed,
    Comparison,
    Difference,
    DivergenceCell,
    Float32Output,
    Recomputed,
    RecomputedCell,
    Way,
)
from speclab.records.exactness import Enumerated, ExactnessCell
from speclab.records.machine import Surroundings
from speclab.records.margins import ConstructedTie, MarginsCell, ShapeChange
from speclab.records.plan import SamplingPlan
from speclab.records.trace import Piece, TraceCell

__all__ = [
    "ArmName",
    "ArmRow",
    "Cell",
    "Changed",
    "Comparison",
    "ConstructedTie",
    "Difference",
    "DisagreementCell",
    "DisagreementContext",
    "DistributionCell",
    "DivergenceCell",
    "Enumerated",
    "ExactnessCell",
    "Float32Output",
    "IterationColumns",
    "MarginsCell",
    "ModelRole",
    "PassTime",
    "Piece",
    "Recomputed",
    "RecomputedCell",
    "Results",
    "Rule",
    "RuleTest",
    "SamplingPlan",
    "ShapeChange",
    "SpeedCell",
    "Surroundings",
    "TimingCell",
    "TraceCell",
    "Turn",
    "Way",
    "speed_key",
]

ModelRole: TypeAlias = Literal["target", "draft"]


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
    surroundings: Surroundings = Surroundings()
    """What else used the machine while this cell was timed."""
    passes: tuple[PassTime, ...]
    disturbed: str | None = None
    """What disturbed this cycle from outside, or null. It counts all the same; medians pass it over."""
    unjudged: str | None = None
    """Why the medians of this timing may be those of disturbed cycles, or null."""

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return f"timing.r{self.round}"


class SpeedCell(Record):
    """One block: every arm on one prompt under one sampling, in turns; `attempt` is 1 for a repeat."""

    experiment: Literal["speed"] = "speed"
    prompt: str
    kind: str
    round: int
    attempt: int = 0
    sampling: SamplingPlan = SamplingPlan()
    prompt_tokens: int
    warm_up_passes: int = 0
    """Untimed passes of either model that came before the first timed one."""
    major_faults: Reading[int] = Reading[int](reason="not counted")
    """Pages that this process read from disk while this cell was timed."""
    surroundings: Surroundings = Surroundings()
    """What else used the machine while this cell was timed."""
    prefill_target_ns: int
    prefill_draft_ns: int
    arms: tuple[ArmRow, ...]
    disturbed: str | None = None
    """Why this block does not count, or null. A repeat counts whatever it shows."""
    unjudged: str | None = None
    """Why a drift of the machine within this block would not show, or null."""

    @property
    def key(self) -> str:
        """Name of this cell, unique within a run and safe as a file name."""
        return speed_key(self.prompt, self.round, self.attempt, self.sampling)


def speed_key(prompt: str, turn: int, attempt: int, sampling: SamplingPlan) -> str:
    """Name of a block's cell; a greedy one's needs no word of it."""
    return f"speed.{prompt}.r{turn}.a{attempt}" + (f".{sampling.name}" if sampling.temperature else "")


Cell: TypeAlias = Annotated[
    TimingCell
    | SpeedCell
    | TraceCell
    | DistributionCell
    | DisagreementCell
    | ExactnessCell
    | RecomputedCell
    | DivergenceCell
    | MarginsCell,
    Field(discriminator="experiment"),
]


class Results(Record):
    """The file `results.json`."""

    format: Literal[1] = 1
    run: str
    cells: tuple[Cell, ...]
