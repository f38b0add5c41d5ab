"""What `speclab evidence diff` shows: two runs, claim by claim."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args

from speclab.cli import state
from speclab.cli.output import line, table
from speclab.evidence.difference import Outcome, not_comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from speclab.evidence.claims import Discard
    from speclab.evidence.difference import Compared
    from speclab.evidence.estimates import Estimate
    from speclab.records.reader import Run
    from speclab.records.run import RunRecord


NAMED = 5
"""Claims that a reason names, and reasons that are told."""


def sheet(left: Run, right: Run, found: Sequence[Compared], discards: Mapping[str, Discard]) -> list[object]:
    """Which runs, a table, and below it what it comes to."""
    runs = [f"left:  {_told(left.record, discards)}", f"right: {_told(right.record, discards)}"]
    rows = [(each.claim, _shown(each.left), _shown(each.right), each.outcome) for each in found]
    shown = table("Claim by claim, each with its interval", ("claim", "left", "right", "outcome"), rows)
    counts = Counter(each.outcome for each in found)
    said = [", ".join(f"{counts[outcome]} {outcome}" for outcome in get_args(Outcome))]
    said += [f"the runs cannot be compared: {why}" for why in not_comparable(left.record, right.record)]
    return [*map(line, runs), shown, *map(line, [*said, *_reasons(found)])]


def _told(record: RunRecord, discards: Mapping[str, Discard]) -> str:
    """Id, plan, and everything that keeps the run from being a whole and sound one."""
    discard = discards.get(record.id)
    reason = discard.reason if discard else record.reason
    status = "discarded" if discard else state.status(record)
    return f"{record.id}: {state.plan(record)}, {status}" + (f" ({reason})" if reason else "")


def _reasons(found: Sequence[Compared]) -> Iterator[str]:
    """Why claims are not comparable, the reason of most claims first."""
    reasons: dict[str, list[str]] = {}
    for each in found:
        if each.outcome == "not comparable":
            reasons.setdefault(each.why, []).append(each.claim)
    for why, claims in sorted(reasons.items(), key=lambda item: -len(item[1]))[:NAMED]:
        more = f" and {len(claims) - NAMED} more" if len(claims) > NAMED else ""
        yield f"- {len(claims)} not comparable: {why}: {', '.join(claims[:NAMED])}{more}"


def document(left: Run, right: Run, found: Sequence[Compared], discards: Mapping[str, Discard]) -> dict[str, Any]:
    """For programs."""
    return {
        "runs": [left.record.id, right.record.id],
        "told": [_told(each.record, discards) for each in (left, right)],
        "obstacles": list(not_comparable(left.record, right.record)),
        "claims": [
            {
                "claim": each.claim,
                "outcome": each.outcome,
                "why": each.why,
                "left": each.left.model_dump(mode="json") if each.left else None,
                "right": each.right.model_dump(mode="json") if each.right else None,
            }
            for each in found
        ],
    }


def _shown(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "-"
    ends = "" if found.low is None or found.high is None else f" [{found.low:.4g}, {found.high:.4g}]"
    return f"{found.value:.4g}{ends}"
