"""What several tests of fit amount to, wherever they were made: verdicts, p-values, and what they could see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from speclab.evidence.estimates.estimate import Estimate
from speclab.theory.floor import NEARLY_ALWAYS, detectable_total_variation
from speclab.theory.goodness import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.evidence.estimates.estimate import Unit
    from speclab.records.rows import RuleTest

Verdict: TypeAlias = Literal["passed", "failed", "rejected", "missed", "blind", "not testable"]
End: TypeAlias = Literal["smallest", "largest"]
COUNTED = "counted, not sampled"
NOWHERE = "no context was testable"


def floor(test: RuleTest, false_alarm: float) -> float | None:
    """Total variation over the cells of a test that no law can have unseen; None where there was nothing to test.

    Args:
        test: Draws and degrees of freedom.
        false_alarm: At which it was made.
    """
    if test.degrees < 1:
        return None
    return detectable_total_variation(
        draws=test.draws, degrees=test.degrees, false_alarm=false_alarm, power=NEARLY_ALWAYS
    )


def came_out(tests: Sequence[RuleTest], verdict: Verdict) -> Estimate:
    """How many came out so."""
    return count(sum(each.verdict == verdict for each in tests), len(tests), "tests")


def rejections(tests: Sequence[RuleTest], false_alarm: float) -> Estimate:
    """How many are rejected by Holm's correction, at a false-alarm rate for all of them together."""
    values = p_values(tests)
    return count(sum(holm(values, false_alarm)), len(values), "tests")


def p_values(tests: Sequence[RuleTest]) -> list[float]:
    """Of the tests that could be made."""
    return [each.p_value.value for each in tests if each.p_value.value is not None]


def smallest_p(tests: Sequence[RuleTest]) -> Estimate:
    """The smallest p-value; n counts the tests that could be made."""
    values = p_values(tests)
    if not values:
        return Estimate(value=None, n=0, of="tests", unit="share", reason=NOWHERE)
    return extreme(values, "smallest", unit="share", of="tests")


def needed(tests: Sequence[RuleTest], end: End) -> Estimate:
    """The fewest or most draws that one of the tests would need to see its rule's law nearly always."""
    found = [each.needed.value for each in tests if each.needed.value is not None]
    reason = next((each.needed.reason for each in tests if each.needed.value is None), None)
    if not found or (reason is not None and end == "largest"):
        return Estimate(value=None, n=len(found), of="contexts", unit="count", reason=reason)
    return extreme(found, end, unit="count", of="contexts")


def extreme(values: Sequence[float], end: End, *, unit: Unit, of: str, among: str = "several") -> Estimate:
    """The smallest or largest of several numbers; `among` names them."""
    value = min(values) if end == "smallest" else max(values)
    return Estimate(value=value, n=len(values), of=of, unit=unit, reason=f"the {end} of {among}, not a mean")


def count(number: int, n: int, of: str) -> Estimate:
    """A count among n."""
    return Estimate(value=number, n=n, of=of, unit="count", reason=COUNTED)
