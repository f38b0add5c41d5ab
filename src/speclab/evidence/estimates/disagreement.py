"""How far the two models differ along whole texts, and what the rules do where they differ most."""

from typing import Final, Literal, TypeAlias

import numpy as np

from speclab.evidence.estimates import fits
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import DisagreementCell, Rule, RuleTest

At: TypeAlias = Literal["smallest", "lower quartile", "median", "upper quartile", "largest"]
SHARES: Final[dict[At, float]] = {
    "smallest": 0.0,
    "lower quartile": 0.25,
    "median": 0.5,
    "upper quartile": 0.75,
    "largest": 1.0,
}
"""Of the positions, those that lie no higher."""


def disagreement_cells(run: Run, *, kind: str | None = None) -> tuple[DisagreementCell, ...]:
    """The texts of a kind.

    Raises:
        EmptySelectionError: When there is none.
    """
    there = [cell for cell in run.results.cells if isinstance(cell, DisagreementCell)]
    chosen = tuple(cell for cell in there if kind in (None, cell.kind))
    if not chosen:
        has = ", ".join(dict.fromkeys(cell.kind for cell in there))
        what = f"no text of kind {kind!r}; it has: {has}" if there else "no text that was searched"
        msg = f"run {run.record.id} holds {what}"
        raise EmptySelectionError(msg)
    return chosen


@named()
def searched_positions(run: Run, *, kind: str | None = None) -> Estimate:
    """Positions of the texts at which both models' laws were compared; n counts the texts."""
    cells = disagreement_cells(run, kind=kind)
    return fits.count(sum(len(cell.total_variations) for cell in cells), len(cells), "texts")


@named()
def searched_total_variation(run: Run, *, at: At, kind: str | None = None) -> Estimate:
    """The median, a quartile or an end of the two laws' total variation over all positions, which n counts."""
    values = [each for cell in disagreement_cells(run, kind=kind) for each in cell.total_variations]
    value = float(np.quantile(values, SHARES[at]))
    reason = "positions of one text hang together, so their number says little of the spread"
    return Estimate(value=value, n=len(values), of="positions", unit="share", reason=reason)


@named()
def disagreement_contexts(run: Run, *, kind: str | None = None) -> Estimate:
    """Contexts at which the rules were tested, those where the models differ most; n counts the texts."""
    cells = disagreement_cells(run, kind=kind)
    return fits.count(sum(len(cell.contexts) for cell in cells), len(cells), "texts")


@named()
def disagreement_tests(
    run: Run, *, rule: Rule = "ratio", verdict: fits.Verdict, kind: str | None = None
) -> Estimate:
    """Tests of one rule, where the models differ most, that came out so; n counts all tests of that rule there."""
    return fits.came_out(_tests(run, rule, kind), verdict)


@named()
def disagreement_smallest_p(run: Run, *, rule: Rule = "ratio", kind: str | None = None) -> Estimate:
    """The smallest p-value of one rule where the models differ most; n counts the tests that could be made."""
    return fits.smallest_p(_tests(run, rule, kind))


@named()
def disagreement_power(
    run: Run, *, rule: Literal["fresh_draw", "draft_kept"] | None = None, kind: str | None = None
) -> Estimate:
    """The smallest power that a test has against a wrong rule where the models differ most; n counts the tests."""
    rules: tuple[Rule, ...] = ("fresh_draw", "draft_kept") if rule is None else (rule,)
    powers = [each.power for name in rules for each in _tests(run, name, kind)]
    return fits.extreme(powers, "smallest", unit="share", of="tests")


@named()
def disagreement_draws(run: Run, *, rule: Rule, end: fits.End, kind: str | None = None) -> Estimate:
    """The fewest or most draws that see one rule's law 99 times in 100 where the models differ most."""
    return fits.needed(_tests(run, rule, kind), end)


@named()
def disagreement_rejections(run: Run, *, rule: Rule = "ratio") -> Estimate:
    """Tests of one rule, where the models differ most, rejected after Holm's correction at the plan's rate."""
    return fits.rejections(_tests(run, rule, None), run.record.plan.distribution.false_alarm)


def _tests(run: Run, rule: Rule, kind: str | None) -> list[RuleTest]:
    return [
        test
        for cell in disagreement_cells(run, kind=kind)
        for context in cell.contexts
        for test in context.tests
        if test.rule == rule
    ]
