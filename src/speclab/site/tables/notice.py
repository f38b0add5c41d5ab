"""What a reader of a run has to know before its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates import estimate
from speclab.evidence.estimates.blocks import samplings_of
from speclab.evidence.estimates.estimate import EmptySelectionError
from speclab.site.blocks import block
from speclab.site.building import current
from speclab.site.html import Html, said, text
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.reader import Run

WIDTH = 0.02
"""How far from 1 the interval of plain over plain may reach."""
BIAS = 0.01
"""How far from 1 that interval may begin."""


@block
def notice(run_id: str | None = None) -> str:
    """Why this run does not count, or where its numbers lean on less than they should; empty where all is well."""
    run = run_of(run_id)
    lines = [f"<li>{text(each)}</li>" for each in (*_standing(run), *_noise(run), *_disturbed(run))]
    if not lines:
        return ""
    title = '<p class="admonition-title">Before the numbers</p>'
    return f'<div class="admonition warning">{title}<ul>{"".join(lines)}</ul></div>'


def _standing(run: Run) -> Iterator[str]:
    record = run.record
    discard = current().register.discards.get(record.id)
    if discard is not None:
        yield Html(f"This run is discarded: {said(discard.reason)}. No number of any page may come from it.")
    elif record.status != "complete":
        yield Html(f"This run is {record.status}{f': {said(record.reason)}' if record.reason else ''}.")
    if record.memory is not None:
        yield from record.memory.warnings


def _noise(run: Run) -> Iterator[str]:
    """Where two identical arms differ by what an effect would have to exceed."""
    try:
        found = estimate("noise_floor", run, {})
    except EmptySelectionError:
        return
    if found.low is None or found.high is None or found.value is None:
        return
    wide = found.low < 1 - WIDTH or found.high > 1 + WIDTH
    biased = found.low > 1 + BIAS or found.high < 1 - BIAS
    if wide or biased:
        limit = f"begins more than {BIAS:.0%} from 1" if biased else f"reaches more than {WIDTH:.0%} from 1"
        yield (
            f"Two identical plain arms: their ratio is {found.value:.3f}, with an interval of {found.low:.3f} to "
            f"{found.high:.3f}, which {limit}. A speed-up that is no further from 1 than that may be noise."
        )


def _disturbed(run: Run) -> Iterator[str]:
    try:
        each = [estimate("disturbed_in_use", run, {"sampling": name}).number() for name in samplings_of(run)]
    except EmptySelectionError:
        return
    if count := sum(each):
        yield (
            f"Blocks that count although the program judged them disturbed: {count:.0f}. A repeat counts whatever "
            "it shows."
        )
