"""What `speclab evidence diff` shows: two runs, claim by claim."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from speclab.cli.output import line, table
from speclab.evidence.difference import not_comparable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.evidence.difference import Compared
    from speclab.evidence.estimates import Estimate
    from speclab.records.reader import Run


def sheet(left: Run, right: Run, found: Sequence[Compared]) -> list[object]:
    """A table, and below it what it comes to."""
    names = left.record.id, right.record.id
    rows = [(each.claim, _shown(each.left), _shown(each.right), each.outcome) for each in found]
    counts = Counter(each.outcome for each in found)
    said = [f"{counts['moved']} moved, {counts['same']} the same, {counts['not comparable']} not comparable"]
    said += [f"the runs cannot be compared: {why}" for why in not_comparable(left.record, right.record)]
    reasons = Counter(each.why for each in found if each.outcome == "not comparable")
    said += [f"- {count} not comparable: {why}" for why, count in reasons.most_common(5)]
    return [table("Claim by claim, each with its interval", ("claim", *names, "outcome"), rows), *map(line, said)]


def document(left: Run, right: Run, found: Sequence[Compared]) -> dict[str, Any]:
    """For programs."""
    return {
        "runs": [left.record.id, right.record.id],
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
