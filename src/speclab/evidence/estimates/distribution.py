"""Whether first sampled tokens follow the target's law, what the tests could see, how far the models differ."""

from speclab.evidence.estimates import fits
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.pooling import arithmetic
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import DistributionCell, Rule, RuleTest
from speclab.theory.floor import BFLOAT16_TILT, NEARLY_ALWAYS
from speclab.theory.floor import draws_for_tilt as fewest_draws


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
def rule_tests(run: Run, *, rule: Rule = "ratio", verdict: fits.Verdict, kind: str | None = None) -> Estimate:
    """Tests of one rule that came out so; n counts all tests of that rule."""
    return fits.came_out(_tests(run, rule, kind), verdict)


@named()
def smallest_p(run: Run, *, rule: Rule = "ratio", kind: str | None = None) -> Estimate:
    """The smallest p-value among the tests of one rule; n counts the tests that could be made."""
    return fits.smallest_p(_tests(run, rule, kind))


@named()
def p_below(run: Run, *, limit: float, rule: Rule = "ratio", kind: str | None = None) -> Estimate:
    """Tests of one rule whose p-value is under a limit; n counts the tests that could be made."""
    values = fits.p_values(_tests(run, rule, kind))
    return fits.count(sum(each < limit for each in values), len(values), "tests")


@named()
def family_rejections(run: Run, *, rule: Rule = "ratio") -> Estimate:
    """Tests of one rule rejected after Holm's correction at the plan's false-alarm rate for the whole family."""
    return fits.rejections(_tests(run, rule, None), run.record.plan.distribution.false_alarm)


@named("computed")
def detectable_tv(run: Run, *, kind: str | None = None) -> Estimate:
    """Total variation over the cells of a test that no law can have without being seen, 99 times in 100 at least.

    The largest over the tests: where it is smaller, less can hide.
    """
    false_alarm = run.record.plan.distribution.false_alarm
    floors = [fits.floor(each, false_alarm) for each in _tests(run, "ratio", kind)]
    known = [each for each in floors if each is not None]
    if not known:
        return Estimate(value=None, n=0, of="tests", unit="share", reason=fits.NOWHERE)
    return fits.extreme(known, "largest", unit="share", of="tests")


@named()
def draws_needed(run: Run, *, rule: Rule, end: fits.End, kind: str | None = None) -> Estimate:
    """The fewest or most draws that a context takes to see one rule's law 99 times in 100."""
    return fits.needed(_first_seeds(run, rule, kind), end)


@named("computed")
def draws_for_tilt(run: Run, *, tilt: float = BFLOAT16_TILT) -> Estimate:
    """The fewest draws with which any test of this run could see every probability tilted by such a share.

    What rounding to bfloat16 changes, where no other share is named; seen 99 times in 100.
    """
    plan = run.record.plan.distribution
    degrees = [each.degrees for each in _tests(run, "ratio", None) if each.degrees > 0]
    if not degrees:
        return Estimate(value=None, n=0, of="tests", unit="count", reason=fits.NOWHERE)
    draws = fewest_draws(tilt=tilt, degrees=min(degrees), false_alarm=plan.false_alarm, power=NEARLY_ALWAYS)
    reason = "by a formula, at the fewest cells of any test"
    return Estimate(value=draws, n=len(degrees), of="tests", unit="count", reason=reason)


@named()
def total_variation(run: Run, *, kind: str | None = None) -> Estimate:
    """Total variation of the target's law and the draft's, mean over contexts."""
    return arithmetic(_variations(run, kind), unit="share", of="contexts")


@named()
def total_variation_at(run: Run, *, end: fits.End, kind: str | None = None) -> Estimate:
    """The smallest or largest total variation of the two laws among the contexts."""
    values = [each for contexts in _variations(run, kind).values() for each in contexts]
    return fits.extreme(values, end, unit="share", of="contexts")


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
    return fits.count(len(blind), len(contexts), "contexts")


def _tests(run: Run, rule: Rule, kind: str | None) -> list[RuleTest]:
    return [each for cell in distribution_cells(run, kind=kind) for each in cell.tests if each.rule == rule]


def _first_seeds(run: Run, rule: Rule, kind: str | None) -> list[RuleTest]:
    """The test of the first seed at each context: what can be seen is the same for every seed."""
    first: dict[str, RuleTest] = {}
    for cell in distribution_cells(run, kind=kind):
        for each in cell.tests:
            if each.rule == rule:
                first.setdefault(cell.prompt, each)
    return list(first.values())


def _variations(run: Run, kind: str | None) -> dict[str, list[float]]:
    """By kind, each context's distance once: it is the same for every seed."""
    by_kind: dict[str, dict[str, float]] = {}
    for cell in distribution_cells(run, kind=kind):
        by_kind.setdefault(cell.kind, {})[cell.prompt] = cell.total_variation
    return {name: list(contexts.values()) for name, contexts in by_kind.items()}
