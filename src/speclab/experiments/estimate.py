"""What a run will take: time, memory and disk, before it starts."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.exactness.subjects import SUBJECTS
from speclab.experiments.selection import first_of_each_kind
from speclab.theory.cost import expected_tokens_per_iteration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Model
    from speclab.experiments.protocol import EncodedPrompt
    from speclab.records.plan import Plan
    from speclab.records.run import RunRecord

GUESSED_ALPHA = 0.8
"""Acceptance before anything is known of it; only the time of the draft arms depends on it."""
FLOAT32_FACTOR = 3.0
"""A pass in float32 against one in a dtype of two bytes, on a processor that multiplies both."""
SECONDS_A_DRAW = 0.4 / 200_000
"""One draw of all three rules, with its share of the tests."""
SECONDS_A_POSITION = 0.03
"""Both laws behind one token of a text, and their distance."""
EXACTNESS_SECONDS = 60.0
"""Of the walk over all outcomes, which hangs on the processor alone."""
CONTEXT_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Passes:
    """Seconds of a pass over n tokens, from two timed lengths: a line between them and beyond."""

    one: float
    many: float
    length: int

    def __call__(self, tokens: float) -> float:
        """Seconds of a pass over that many tokens."""
        return self.one + (self.many - self.one) * (tokens - 1) / (self.length - 1)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds and cells by experiment, and where the seconds come from."""

    seconds: dict[str, float]
    cells: dict[str, int]
    basis: str

    @property
    def total(self) -> float:
        """Seconds of the whole run, loading apart."""
        return sum(self.seconds.values())

    def line(self, plan: Plan) -> str:
        """The estimate for a person."""
        parts = ", ".join(f"{name} {minutes(seconds)}" for name, seconds in self.seconds.items())
        return f"time: about {minutes(self.total)} of {plan.budget_minutes} min, {self.basis}; {parts}"

    def only(self, experiments: Sequence[str]) -> Estimate:
        """The part that these experiments take."""
        return Estimate(
            {name: self.seconds[name] for name in experiments},
            {name: self.cells[name] for name in experiments},
            self.basis,
        )

    def require_within(self, plan: Plan) -> None:
        """Refuse a plan over its budget.

        Raises:
            InputError: With both times, and what to do.
        """
        if self.total > 60 * plan.budget_minutes:
            msg = (
                f"the plan {plan.name} would take about {minutes(self.total)} here ({self.basis}) and its budget "
                f"is {plan.budget_minutes} min: take a smaller plan or fewer prompts, or write a plan of your own "
                "with a larger budget_minutes"
            )
            raise InputError(msg)


def minutes(seconds: float) -> str:
    """A duration as a person says it."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def expected_cells(plan: Plan, prompts: Sequence[EncodedPrompt]) -> dict[str, int]:
    """Cells of each experiment, repeats of disturbed blocks apart."""
    contexts = sum(
        min(count, plan.distribution.contexts_per_kind)
        for count in Counter(each.kind for each in prompts).values()
    )
    return {
        "timing": plan.timing.cycles,
        "speed": len(prompts) * plan.speed.rounds * len(plan.speed.samplings),
        "distribution": contexts * plan.distribution.seeds,
        "disagreement": len(prompts) if plan.disagreement else 0,
        "exactness": len(SUBJECTS),
        "divergence": 2 * len(prompts),  # in the dtype of the run, then in float32
        "margins": len(first_of_each_kind(prompts, plan.margins.prompts_per_kind)) if plan.margins else 0,
    }


def probe(
    model: Model, ids: Sequence[int], longest: int, clock: Callable[[], float] = time.perf_counter
) -> Passes:
    """Time a pass over one token and over `longest`, after some context; the first pass of each warms it.

    Args:
        model: With an empty cache; left as it is.
        ids: Any tokens.
        longest: At least 2.
        clock: Seconds.
    """
    own = model.fork()
    longest = min(longest, own.context // 2)
    context = min(CONTEXT_TOKENS, own.context - longest)
    stream = [ids[place % len(ids)] for place in range(context + longest)]
    own.feed(stream[:context], last=1)

    def seconds(tokens: int) -> float:
        start = clock()
        # Reading one number waits for a device that works on its own.
        float(own.feed(stream[:tokens], last=1)[0][0])
        spent = clock() - start
        own.rollback(context)
        return spent

    times = {tokens: sorted(seconds(tokens) for _ in range(4))[1] for tokens in (1, longest)}
    return Passes(times[1], times[longest], longest)


def from_passes(plan: Plan, prompts: Sequence[EncodedPrompt], target: Passes, draft: Passes) -> Estimate:
    """Add up the passes that the plan asks for."""
    cells = expected_cells(plan, prompts)
    length = sum(len(each.ids) for each in prompts) / len(prompts)
    prefill = target(length) + draft(length)
    shapes = range(1, max(plan.speed.ks) + 2)
    block = (
        prefill
        + sum(target(n) + draft(n) for n in shapes)
        + 2 * plan.speed.new_tokens * target(1)
        + sum(_arm(plan.speed.new_tokens, k, target, draft) for k in plan.speed.ks)
    )
    # About one first difference a prompt: four ways of computing it, two of them step by step.
    difference = 3 * target(length) + plan.speed.new_tokens * target(1)
    whole = plan.divergence.float32_prompts_per_kind * len({each.kind for each in prompts})
    rerun = plan.divergence.float32_new_tokens * target(1) + _arm(
        plan.divergence.float32_new_tokens, plan.divergence.float32_k, target, draft
    )
    float32 = FLOAT32_FACTOR * (len(prompts) * difference + whole * (prefill + rerun))
    seconds = {
        "timing": (cells["timing"] + 1) * sum(target(n) + draft(n) for n in plan.timing.lengths),
        "speed": cells["speed"] * block,
        "distribution": cells["distribution"] * (prefill + plan.distribution.draws * SECONDS_A_DRAW),
        "disagreement": _disagreement(plan, prompts, target, draft),
        "exactness": EXACTNESS_SECONDS,
        "divergence": len(prompts) * difference + float32,
        "margins": _margins(plan, cells["margins"], draft),
    }
    basis = f"from passes timed just now: target {1e3 * target.one:.0f} ms a step, draft {1e3 * draft.one:.0f} ms"
    return Estimate(seconds, cells, basis)


def from_run(record: RunRecord, prompts: Sequence[EncodedPrompt]) -> Estimate:
    """What the same plan took before on this machine."""
    return Estimate(dict(record.seconds), expected_cells(record.plan, prompts), f"as run {record.id} took")


def _disagreement(plan: Plan, prompts: Sequence[EncodedPrompt], target: Passes, draft: Passes) -> float:
    """One pass of each model over each text, both laws everywhere, and the rules at the contexts found."""
    if plan.disagreement is None:
        return 0.0
    texts = [len(each.ids) + plan.speed.new_tokens for each in prompts]
    search = sum(target(tokens) + draft(tokens) + tokens * SECONDS_A_POSITION for tokens in texts)
    contexts = len(prompts) * plan.disagreement.contexts_per_prompt
    return search + contexts * plan.distribution.draws * SECONDS_A_DRAW


def _margins(plan: Plan, texts: int, draft: Passes) -> float:
    """Each text in float32, once a token and once in passes of every length."""
    if plan.margins is None:
        return 0.0
    tokens = plan.margins.new_tokens
    passes = tokens * draft(1) + sum(math.ceil(tokens / length) * draft(length) for length in plan.margins.lengths)
    return FLOAT32_FACTOR * texts * passes


def _arm(new_tokens: int, k: int, target: Passes, draft: Passes) -> float:
    iterations = new_tokens / expected_tokens_per_iteration(GUESSED_ALPHA, k)
    return iterations * (k * draft(1) + target(k + 1))
