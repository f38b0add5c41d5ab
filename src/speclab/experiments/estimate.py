"""What a run will take: time, memory and disk, before it starts."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.exactness.subjects import SUBJECTS
from speclab.experiments.passes import slow_check
from speclab.experiments.selection import first_of_each_kind
from speclab.theory.cost import expected_tokens_per_iteration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclab.experiments.passes import Pace, Passes
    from speclab.experiments.protocol import EncodedPrompt
    from speclab.records.plan import Plan
    from speclab.records.run import RunRecord

GUESSED_ALPHA = 0.8
"""Acceptance before anything is known of it; only the time of the draft arms depends on it."""
SECONDS_A_DRAW = 0.4 / 200_000
"""One draw of all three rules, with its share of the tests."""
SECONDS_A_POSITION = 0.03
"""Both laws behind one token of a text, and their distance."""
EXACTNESS_SECONDS = 60.0
"""Of the walk over all outcomes, which hangs on the processor alone."""
ONE_DIFFERENCE = "if one output a prompt differs from plain's"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds and cells by experiment.

    Attributes:
        seconds: By experiment.
        cells: The same.
        basis: Where the seconds come from.
        guesses: What the seconds of an experiment take for granted.
        hint: What the passes already tell of the answer, where they do.
    """

    seconds: dict[str, float]
    cells: dict[str, int]
    basis: str
    guesses: Mapping[str, str] = field(default_factory=dict)
    hint: str | None = None

    @property
    def total(self) -> float:
        """Seconds of the whole run, loading apart."""
        return sum(self.seconds.values())

    def line(self, plan: Plan) -> str:
        """The estimate for a person."""
        parts = ", ".join(
            " ".join(filter(None, (name, minutes(seconds), self.guesses.get(name))))
            for name, seconds in self.seconds.items()
            if seconds
        )
        return f"time: about {minutes(self.total)} of {plan.budget_minutes} min, {self.basis}; {parts}"

    def only(self, experiments: Sequence[str]) -> Estimate:
        """The part that these experiments take."""
        return replace(
            self,
            seconds={name: self.seconds[name] for name in experiments},
            cells={name: self.cells[name] for name in experiments},
            hint=self.hint if "speed" in experiments else None,
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
        "traces": len(plan.traces.kinds) if plan.traces else 0,
        "distribution": contexts * plan.distribution.seeds,
        "disagreement": len(prompts) if plan.disagreement else 0,
        "exactness": len(SUBJECTS),
        "divergence": 2 * len(prompts),  # in the dtype of the run, then in float32
        "margins": len(first_of_each_kind(prompts, plan.margins.prompts_per_kind)) if plan.margins else 0,
    }


def from_passes(plan: Plan, prompts: Sequence[EncodedPrompt], pace: Pace, float32: Pace) -> Estimate:
    """Add up the passes that the plan asks for.

    Args:
        plan: What is measured.
        prompts: Encoded.
        pace: In the dtype of the plan.
        float32: In float32.
    """
    cells = expected_cells(plan, prompts)
    target, draft = pace.target, pace.draft
    length = sum(len(each.ids) for each in prompts) / len(prompts)
    prefill = target(length) + draft(length)
    shapes = range(1, max(plan.speed.ks) + 2)
    block = (
        prefill
        + sum(target(n) + draft(n) for n in shapes)
        + 2 * plan.speed.new_tokens * target(1)
        + sum(_arm(plan.speed.new_tokens, k, target, draft) for k in plan.speed.ks)
    )
    seconds = {
        "timing": (cells["timing"] + 1) * sum(target(n) + draft(n) for n in plan.timing.lengths),
        "speed": cells["speed"] * block,
        "traces": 0.0,  # nothing is computed
        "distribution": cells["distribution"] * (prefill + plan.distribution.draws * SECONDS_A_DRAW),
        "disagreement": _disagreement(plan, prompts, target, draft),
        "exactness": EXACTNESS_SECONDS,
        "divergence": _divergence(plan, prompts, length, pace, float32),
        "margins": _margins(plan, cells["margins"], float32.draft),
    }
    basis = f"from passes timed just now: target {1e3 * target.one:.0f} ms a step, draft {1e3 * draft.one:.0f} ms"
    hint = slow_check(target, plan.pair.dtype)
    return Estimate(seconds, cells, basis, {"divergence": ONE_DIFFERENCE}, hint)


def from_run(record: RunRecord, prompts: Sequence[EncodedPrompt]) -> Estimate:
    """What the same plan took before on this machine."""
    return Estimate(dict(record.seconds), expected_cells(record.plan, prompts), f"as run {record.id} took")


def _divergence(plan: Plan, prompts: Sequence[EncodedPrompt], length: float, pace: Pace, float32: Pace) -> float:
    """One first difference a prompt in both dtypes, and whole outputs in float32; a run in it computes once."""
    differences = len(prompts) * difference(plan, length, pace.target)
    if plan.pair.dtype == "float32":
        return differences
    part, (target, draft) = plan.divergence, (float32.target, float32.draft)
    outputs = part.float32_prompts_per_kind * len({each.kind for each in prompts})
    steps = part.float32_new_tokens * target(1) + _arm(part.float32_new_tokens, part.float32_k, target, draft)
    output = 2 * target(length) + draft(length) + steps
    return differences + len(prompts) * difference(plan, length, target) + outputs * output


def difference(plan: Plan, length: float, target: Passes) -> float:
    """Seconds of one first difference in the middle of an output: three fresh ways, plain's path and the arm's."""
    index = plan.speed.new_tokens / 2
    blocks = [_iterations(index, k) * target(k + 1) for k in plan.speed.ks]
    paths = 2 * target(length) + index * target(1) + sum(blocks) / len(blocks)
    return 3 * target(length + index) + paths


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
    return texts * passes


def _arm(new_tokens: int, k: int, target: Passes, draft: Passes) -> float:
    return _iterations(new_tokens, k) * (k * draft(1) + target(k + 1))


def _iterations(new_tokens: float, k: int) -> float:
    return new_tokens / expected_tokens_per_iteration(GUESSED_ALPHA, k)
