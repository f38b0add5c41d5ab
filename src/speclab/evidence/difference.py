"""Two runs beside each other, claim by claim: what moved, what is the same, what cannot be compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from speclab.errors import CheckError, InputError
from speclab.evidence.claims import Claim
from speclab.evidence.estimates import estimate, find_estimate
from speclab.records.same import same_machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.evidence.estimates import Estimate
    from speclab.evidence.register import Register
    from speclab.records.reader import Run
    from speclab.records.run import RunRecord

Outcome: TypeAlias = Literal["same", "moved", "not comparable"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One claim in two runs.

    Attributes:
        claim: Its id.
        outcome: `moved` where the two intervals do not overlap, or, without intervals, where the numbers differ.
        left: The estimate from the first run; None where it has none.
        right: That from the second.
        why: What stands in the way of a comparison, or how sure it is.
    """

    claim: str
    outcome: Outcome
    left: Estimate | None
    right: Estimate | None
    why: str


def not_comparable(left: RunRecord, right: RunRecord) -> tuple[str, ...]:
    """What keeps two runs from being compared; such runs are never merged either.

    Two measurements tell of a change only where machine, numbers, weights and texts are the same.
    """
    return tuple(_obstacles(left, right))


def compare_runs(left: Run, right: Run, register: Register) -> tuple[Compared, ...]:
    """Compare every claim of the register that both runs can answer.

    Args:
        left: The first run.
        right: The second.
        register: Whose claims are asked, whatever plan they are about; not those of a certain run or of several.
    """
    obstacles = not_comparable(left.record, right.record)
    claims = [each for each in register.claims.values() if isinstance(each, Claim) and each.run is None]
    of_one = [claim for claim in claims if not find_estimate(claim.estimate).several]
    return tuple(_compared(claim, left, right, obstacles) for claim in of_one)


def _obstacles(left: RunRecord, right: RunRecord) -> Iterator[str]:
    if not same_machine(left.machine, right.machine):
        yield "another machine"
    pair = left.plan.pair, right.plan.pair
    if pair[0].dtype != pair[1].dtype:
        yield f"another dtype ({pair[0].dtype}, {pair[1].dtype})"
    if pair[0].device != pair[1].device:
        yield f"another device ({pair[0].device}, {pair[1].device})"
    for role, one, other in (("target", left.target, right.target), ("draft", left.draft, right.draft)):
        if (one.name, one.sha256.value, one.history) != (other.name, other.sha256.value, other.history):
            yield f"another {role}"
    if _prompts(left) != _prompts(right):
        yield "other prompts"


def _prompts(record: RunRecord) -> frozenset[tuple[str, str]]:
    return frozenset((prompt.id, prompt.ids_sha256) for prompt in record.prompts)


def _compared(claim: Claim, left: Run, right: Run, obstacles: tuple[str, ...]) -> Compared:
    one, other = _estimate(claim, left), _estimate(claim, right)
    if isinstance(one, str) or isinstance(other, str):
        why = "; ".join(dict.fromkeys(each for each in (one, other) if isinstance(each, str)))
        found = [None if isinstance(each, str) else each for each in (one, other)]
        return Compared(claim.id, "not comparable", found[0], found[1], why)
    if obstacles:
        return Compared(claim.id, "not comparable", one, other, ", ".join(obstacles))
    outcome, why = _outcome(one, other)
    return Compared(claim.id, outcome, one, other, why)


def _outcome(one: Estimate, other: Estimate) -> tuple[Outcome, str]:
    if one.value is None or other.value is None:
        return "not comparable", one.reason or other.reason or "no value"
    if one.low is None or one.high is None or other.low is None or other.high is None:
        level = math.isclose(one.value, other.value, rel_tol=1e-12, abs_tol=1e-15)
        return ("same" if level else "moved"), "no interval, the numbers themselves are compared"
    apart = one.low > other.high or other.low > one.high
    return ("moved" if apart else "same"), f"the intervals {'do not overlap' if apart else 'overlap'}"


def _estimate(claim: Claim, run: Run) -> Estimate | str:
    try:
        return estimate(claim.estimate, run, claim.where)
    except (InputError, CheckError) as error:
        return str(error)
