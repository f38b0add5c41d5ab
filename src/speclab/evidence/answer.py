"""What a run answers, in five lines: which k, where it loses, by what margin, what limits it, is the text equal.

The lines are for people; every number in them can be had unrounded from `speclab.evidence.estimates`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.evidence.estimates.acceptance import alpha
from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.evidence.estimates.divergence import divergence_cells, identical_runs
from speclab.evidence.estimates.estimate import EmptySelectionError
from speclab.evidence.estimates.pooling import CONFIDENCE
from speclab.evidence.estimates.speed import best_k, overhead_steps, speedup
from speclab.evidence.estimates.timing import cost_ratio, verify_ratio
from speclab.theory.cost import break_even_alpha, predicted_speedup

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run

MOST_NAMED = 4
"""Losses that are named one by one; the rest is counted."""


def answer(run: Run) -> list[str]:
    """Five lines. What the run did not measure is said in its line."""
    questions: tuple[tuple[str, Callable[[Run], str]], ...] = (
        ("Best k", _best),
        ("Where it loses", _losses),
        ("Acceptance", _acceptance),
        ("What limits it", _limit),
        ("Same output", _outputs),
    )
    return [f"{name}: {_said(question, run)}" for name, question in questions]


@dataclass(frozen=True, slots=True)
class _Costs:
    """The numbers of the cost model at one k, overhead in steps of the target."""

    k: int
    alpha: float
    cost_ratio: float
    verify_ratio: float
    overhead: float

    @classmethod
    def of(cls, run: Run, k: int) -> _Costs:
        step, check = cost_ratio(run).number(), verify_ratio(run, n=k + 1).number()
        return cls(k, alpha(run, k=k).number(), step, check, overhead_steps(run, k=k).number())

    def speedup(self, **changed: float) -> float:
        """Speed-up by the cost model, with some of its numbers changed."""
        given = {
            "alpha": self.alpha,
            "cost_ratio": self.cost_ratio,
            "verify_ratio": self.verify_ratio,
            "overhead": self.overhead,
        } | changed
        return predicted_speedup(k=self.k, **given)

    def break_even(self) -> float | None:
        return break_even_alpha(
            self.k, cost_ratio=self.cost_ratio, verify_ratio=self.verify_ratio, overhead=self.overhead
        )


def _said(question: Callable[[Run], str], run: Run) -> str:
    try:
        return question(run)
    except EmptySelectionError as error:
        return f"not measured ({error})"


def _best(run: Run) -> str:
    k = _best_k(run)
    found = speedup(run, k=k)
    times = f"{found.number():.2f} times as fast as plain ({_interval(found)})"
    if found.number() <= 1:
        return f"none pays; the best of those measured is {k}, {times}"
    return f"{k}, {times}"


def _losses(run: Run) -> str:
    cells = [
        (speedup(run, k=k, kind=kind).number(), f"{kind} at k = {k}") for kind in kinds_of(run) for k in ks_of(run)
    ]
    losses = sorted(each for each in cells if each[0] < 1)
    if not losses:
        least, where = min(cells)
        return f"nowhere among the kinds and k measured; the least gain is {least:.2f} times, {where}"
    named = ", ".join(f"{where} ({value:.2f})" for value, where in losses[:MOST_NAMED])
    more = f" and {len(losses) - MOST_NAMED} more" if len(losses) > MOST_NAMED else ""
    return f"{named}{more}; {len(cells) - len(losses)} of {len(cells)} combinations of kind and k gain"


def _acceptance(run: Run) -> str:
    k = _best_k(run)
    rate = f"alpha is {alpha(run, k=k).number():.2f} at k = {k}"
    try:
        costs = _Costs.of(run, k)
    except EmptySelectionError as error:
        return f"{rate}; what it would have to be is not known ({error})"
    basis = f"c = {costs.cost_ratio:.2f}, v({k + 1}) = {costs.verify_ratio:.2f}"
    needed = costs.break_even()
    if needed is None:
        return f"{rate}, and no alpha would be enough with {basis}"
    if needed == 0:
        return f"{rate}, and any alpha is enough with {basis}"
    below = [kind for kind in kinds_of(run) if alpha(run, k=k, kind=kind).number() < needed]
    under = f"; below it: {', '.join(below)}" if below else "; no kind is below it"
    return f"{rate}, break-even is {needed:.2f} ({basis}){under}"


def _limit(run: Run) -> str:
    costs = _Costs.of(run, _best_k(run))
    without = {
        "the guess": ("perfect guesses", costs.speedup(alpha=1.0)),
        "the draft": ("a free draft", costs.speedup(cost_ratio=0.0)),
        "the check": ("a check as cheap as one token", costs.speedup(verify_ratio=min(1.0, costs.verify_ratio))),
    }
    most = max(without, key=lambda name: without[name][1])
    each = ", ".join(f"{what} {value:.2f}" for what, value in without.values())
    return f"{most}; by the cost model at k = {costs.k}, {costs.speedup():.2f} times would become: {each}"


def _outputs(run: Run) -> str:
    cells = divergence_cells(run)
    same = identical_runs(run)
    why = Counter(
        cell.differences[each.difference].verdict if each.difference is not None else "not examined"
        for cell in cells
        for each in cell.comparisons
        if each.arm == "draft" and not each.identical
    )
    said = f"{same.number():.0f} of {same.n} outputs equal plain's"
    if why:
        said += (
            f"; the others differ first by: {', '.join(f'{verdict} ({n})' for verdict, n in why.most_common())}"
        )
    again = identical_runs(run, arm="plain_again")
    if again.number() < again.n:
        said += f"; plain itself repeated in {again.number():.0f} of {again.n}"
    changed = sum(len(cell.changed) for cell in cells)
    if changed:
        said += f"; {changed} configurations changed from block to block, which must not be"
    return said


def _best_k(run: Run) -> int:
    return int(best_k(run).number())


def _interval(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return f"no interval: {found.reason}"
    return f"{100 * CONFIDENCE:.0f} % interval {found.low:.2f} to {found.high:.2f}, {found.n} prompts"
