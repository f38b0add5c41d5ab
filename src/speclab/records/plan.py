"""A plan: which pair, which prompts, which experiments, how long. The files are `research/plans/*.toml`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from speclab.records.base import Record

Dtype: TypeAlias = Literal["bfloat16", "float16", "float32"]
Device: TypeAlias = Literal["cpu", "cuda"]
Positive: TypeAlias = Annotated[int, Field(ge=1)]

ExperimentName: TypeAlias = Literal[
    "timing", "speed", "traces", "distribution", "disagreement", "exactness", "divergence", "margins"
]
EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)
"""In the order they are measured."""


class Pair(Record):
    """Two models by catalogue name, hub id, or local folder or GGUF file, and the numbers they compute in."""

    target: str
    draft: str
    dtype: Dtype
    device: Device = "cpu"


class TimingPlan(Record):
    """Pass lengths to time, how many cycles, after how many tokens of context."""

    lengths: tuple[Positive, ...]
    cycles: Positive
    context_tokens: Positive = 70


class SamplingPlan(Record):
    """How the tokens of an arm are chosen: greedily where nothing is said."""

    temperature: Annotated[float, Field(ge=0)] = 0.0
    top_k: Annotated[int, Field(ge=0)] = 0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0

    @property
    def name(self) -> str:
        """Short, as in keys and in the register: `greedy`, `t0.7`, `t1-k50-p0.9`."""
        if not self.temperature:
            return "greedy"
        cuts = [f"k{self.top_k}"] if self.top_k else []
        cuts += [f"p{self.top_p:g}"] if self.top_p < 1 else []
        return "-".join([f"t{self.temperature:g}", *cuts])


class SpeedPlan(Record):
    """Proposals per iteration, rounds over all prompts, new tokens of each arm, samplings.

    Each sampling is a block of its own, with plain decoding under that sampling twice: an arm is compared with
    what does the same without guessing.
    """

    ks: tuple[Positive, ...]
    rounds: Positive
    new_tokens: Positive
    samplings: tuple[SamplingPlan, ...] = (SamplingPlan(),)


class TracesPlan(Record):
    """Generations to play back: the first prompt of each of these kinds, and the arm."""

    kinds: tuple[str, ...]
    k: Positive = 4


class DivergencePlan(Record):
    """The float32 rerun: first differences always; whole outputs of some prompts where asked."""

    float32_prompts_per_kind: Annotated[int, Field(ge=0)] = 0
    float32_k: Positive = 4
    float32_new_tokens: Positive = 24


class DistributionPlan(Record):
    """Contexts (the first prompts of each kind), seeds, draws a rule, likeliest tokens that get a cell each."""

    contexts_per_kind: Positive
    seeds: Positive
    draws: Positive = 200_000
    cells: Positive = 60
    temperature: Annotated[float, Field(gt=0)] = 1.0
    false_alarm: Annotated[float, Field(gt=0, lt=1)] = 0.001


class DisagreementPlan(Record):
    """The search for contexts where the models differ most: those of each prompt that the rules are tested at.

    Draws, cells, temperature and false-alarm rate are those of `distribution`.
    """

    contexts_per_prompt: Positive
    least_tokens: Positive = 16
    """Tokens of a context at least: after one or two, no model knows what the text is, and what it guesses is not
    about the text."""


class MarginsPlan(Record):
    """Near-ties in float32 on the draft: texts, new tokens of each, lengths of the passes besides one token."""

    prompts_per_kind: Positive
    new_tokens: Positive
    lengths: tuple[Positive, ...]


class Plan(Record):
    """One measured run, as it is meant to be made."""

    name: str
    says: str
    pair: Pair
    fallback: Pair | None = None
    """Taken where the pair cannot be had (a gated hub id); said so in the run, and no override."""
    prompts: tuple[str, ...]
    """Prompt ids, in the order they are measured."""
    timing: TimingPlan
    speed: SpeedPlan
    traces: TracesPlan | None = None
    divergence: DivergencePlan
    distribution: DistributionPlan
    disagreement: DisagreementPlan | None = None
    margins: MarginsPlan | None = None
    measures: tuple[ExperimentName, ...] | None = None
    """The experiments of this plan; all that it has a part for where nothing is said."""
    budget_minutes: Positive
    memory_gb: Annotated[float, Field(gt=0)]
    disk_gb: Annotated[float, Field(gt=0)]

    @property
    def experiments(self) -> tuple[str, ...]:
        """What a run of this plan measures, in order; what loads the pair in float32 comes last."""
        parts = {"traces": self.traces, "disagreement": self.disagreement, "margins": self.margins}
        chosen = EXPERIMENTS if self.measures is None else self.measures
        return tuple(name for name in EXPERIMENTS if name in chosen and parts.get(name, self) is not None)
