"""Whether first sampled tokens follow the target's law, what the tests could see, how far the models differ."""

from typing import Literal, TypeAlias

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.pooling import arithmetic
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import DistributionCell, Rule, RuleTest
from speclab.theory.goodness import holm

Verdict: TypeAlias = Literal["passed", "failed", "rejected", "missed", "blind", "not testable"]
_COUNTED = "counted, not sampled"


def distribution_cells(run: Run, *, kind: str | None = None) -> tuple[DistributionCell, ...]:
    """The contexts of a kind, one cell a seed.

    Raises:
        EmptySelectionError: When there is none.
    """
    there = [cell for cell in run.results.cells if isinstance(cell, DistributionCell)]
    chosen = tuple(cell for cell in there if kind in (None, cell.kind))
    if not chosen:
        has = ", ".join(dict.fromkeys(cell.kind for cell in there))
        what = f"no context of kind {kind!r}; it has: {has}" if there else "no draws"
        msg = f"run {run.record.id} holds {what}"
        raise EmptySelectionError(msg)
    return chosen


@named()
def rule_tests(run: Run, *, rule: Rule = "ratio", verdict: Verdict, kind: str | None = None) -> Estimate:
    """Tests of one rule that came out so; n counts all tests of that rule."""
    there = _tests(run, rule, kind)
    chosen = sum(each.verdict == verdict for each in there)
    return Estimate(value=chosen, n=len(there), of="tests", unit="count", reason=_COUNTED)


@named()
def smallest_p(run: Run, *, rule: Rule = "ratio", kind: str | None = None) -> Estimate:
    """The smallest p-value among the tests of one rule; n counts the tests that could be made."""
    values = _p_values(run, rule, kind)
    if not values:
        return Estimate(value=None, n=0, of="tests", unit="share", reason="no context was testable")
    reason = "the smallest of several p-values, not a mean"
    return Estimate(value=min(values), n=len(values), of="tests", unit="share", reason=reason)


@named()
def p_below(run: Run, *, limit: float, rule: Rule = "ratio", kind: str | None = None) -> Estimate:
    """Tests of one rule whose p-value is under a limit; n counts the tests that could be made."""
    values = _p_values(run, rule, kind)
    below = sum(each < limit for each in values)
    return Estimate(value=below, n=len(values), of="tests", unit="count", reason=_COUNTED)


@named()
def family_rejections(run: Run, *, rule: Rule = "ratio") -> Estimate:
    """Tests of one rule rejected after Holm's correction at the plan's false-alarm rate for the whole family."""
    values = _p_values(run, rule, None)
    rejected = sum(holm(values, run.record.plan.distribution.false_alarm))
    return Estimate(value=rejected, n=len(values), of="tests", unit="count", reason=_COUNTED)


@named()
def total_variation(run: Run, *, kind: str | None = None) -> Estimate:
    """Total variation of the target's law and the draft's, mean over contexts."""
    return arithmetic(_variations(run, kind), unit="share", of="contexts")


@named()
def total_variation_at(run: Run, *, end: Literal["smallest", "largest"], kind: str | None = None) -> Estimate:
    """The smallest or largest total variation of the two laws among the contexts."""
    values = [each for contexts in _variations(run, kind).values() for each in contexts]
    number = min(values) if end == "smallest" else max(values)
    reason = f"the {end} of several, not a mean"
    return Estimate(value=number, n=len(values), of="contexts", unit="share", reason=reason)


@named()
def blind_contexts(run: Run, *, kind: str | None = None) -> Estimate:
    """Contexts where no wrong rule could have been seen, so a pass there is no evidence; n counts contexts."""
    cells = distribution_cells(run, kind=kind)
    blind = {
        cell.prompt
        for cell in cells
        if all(test.verdict in {"blind", "not testable"} for test in cell.tests if test.rule != "ratio")
    }
    contexts = {cell.prompt for cell in cells}
    return Estimate(value=len(blind), n=len(contexts), of="contexts", unit="count", reason=_COUNTED)


def _tests(run: Run, rule: Rule, kind: str | None) -> list[RuleTest]:
    return [each for cell in distribution_cells(run, kind=kind) for each in cell.tests if each.rule == rule]


def _p_values(run: Run, rule: Rule, kind: str | None) -> list[float]:
    return [each.p_value.value for each in _tests(run, rule, kind) if each.p_value.value is not None]


def _variations(run: Run, kind: str | None) -> dict[str, list[float]]:
    """By kind, each context's distance once: it is the same for every seed."""
    by_kind: dict[str, dict[str, float]] = {}
    for cell in distribution_cells(run, kind=kind):
        by_kind.setdefault(cell.kind, {})[cell.prompt] = cell.total_variation
    return {name: list(contexts.values()) for name, contexts in by_kind.items()}
