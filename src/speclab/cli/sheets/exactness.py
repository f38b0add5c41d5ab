"""Tables of `speclab exactness`: every walk, how far its law is from the target's, and why a walk failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, row
from speclab.experiments.exactness.experiment import LEAST_CACHE_ERROR, LEAST_WRONG, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.cli.sheets.sheet import Row
    from speclab.records.rows import Enumerated, ExactnessCell


def sheet(cells: Sequence[ExactnessCell]) -> Sheet:
    """A row a walk."""
    title = "The law of the output, every outcome counted, against the target's own joint law"
    return Sheet(title, ("walk", "cases", "paths", "TV", "verdict"), tuple(_row(cell) for cell in cells))


def _row(cell: ExactnessCell) -> Row:
    found = [each.total_variation for each in cell.configurations]
    ends = dict.fromkeys(f"{end:.2g}" for end in (min(found), max(found)))
    return row(
        cell.subject,
        str(len(cell.configurations)),
        f"{sum(each.paths for each in cell.configurations):,}",
        # The smallest says something of a mistake alone; of an exact law both ends are rounding.
        f"{max(found):.2g}" if cell.exact else " to ".join(ends),
        cell.verdict,
    )


def legend(cells: Sequence[ExactnessCell]) -> Iterator[str]:
    """What the walks are, what the columns mean, and what the table comes to; a line each."""
    yield "walks:"
    width = max(len(cell.subject) for cell in cells)
    for cell in cells:
        yield f"  {cell.subject:{width}}  {cell.says}"
    yield "columns:"
    yield "  cases    configurations that were walked: words, k, tokens, draft, sampling"
    yield "  paths    paths of decisions through all of them"
    yield "  TV       total variation of the output's law from the exact one"
    yield "           (a right way: the largest; a mistake: the smallest and the largest)"
    yield f"  verdict  exact: the largest error is at most {TOLERANCE:g}, where an error is the"
    yield "           difference of one sequence's probability from the exact one"
    yield f"           wrong as it must be: TV is at least {LEAST_WRONG:g} in every case"
    yield "a fault of the draft's cache leaves the law exact by design, as any draft does;"
    yield f"it has to change a key or value by {LEAST_CACHE_ERROR:g} and the acceptance by {LEAST_WRONG:g}"
    sound = sum(cell.verdict != "failed" for cell in cells)
    yield f"{sound} of {len(cells)} walks came out as they must"


def why_failed(cell: ExactnessCell) -> str:
    """Everything that is not as it must be in a failed walk, in one line."""
    return f"{cell.subject}: {'; '.join(_faults(cell))}"


def _faults(cell: ExactnessCell) -> Iterator[str]:
    if not cell.exact:
        yield from _too_mild(cell)
        return
    for each in cell.configurations:
        if each.largest_error > TOLERANCE:
            yield f"a probability is off by {each.largest_error:.2g}, more than {TOLERANCE:g}, with {_case(each)}"
    yield from _unseen(cell) if cell.part == "draft cache" else _not_whole(cell)


def _too_mild(cell: ExactnessCell) -> Iterator[str]:
    for each in cell.configurations:
        if each.total_variation < LEAST_WRONG:
            shown = f"TV is {each.total_variation:.2g}, less than {LEAST_WRONG:g}"
            yield f"the mistake is too mild to be found with {_case(each)}: {shown}"


def _unseen(cell: ExactnessCell) -> Iterator[str]:
    """Where a fault of the draft's cache does not show."""
    error = cell.cache_error.value or 0.0
    if error < LEAST_CACHE_ERROR:
        yield f"the fault is not seen in the keys and values: off by {error:.2g}, less than {LEAST_CACHE_ERROR:g}"
    moved = max(_moved(each) for each in cell.configurations)
    if moved < LEAST_WRONG:
        yield f"the fault is not seen in the acceptance: changed by {moved:.2g}, less than {LEAST_WRONG:g}"


def _not_whole(cell: ExactnessCell) -> Iterator[str]:
    """Where a right way has a cache that is off, or turns a perfect draft down."""
    error = cell.cache_error.value or 0.0
    if error >= LEAST_CACHE_ERROR:
        yield f"a key or value in a cache is off by {error:.2g}, {LEAST_CACHE_ERROR:g} or more"
    for each in cell.configurations:
        accepted = each.acceptance.value or 0.0
        if each.draft == "perfect" and accepted <= 1 - TOLERANCE:
            yield f"of a perfect draft only {accepted:.6g} is accepted, with {_case(each)}"


def _moved(each: Enumerated) -> float:
    both = each.acceptance.value, each.acceptance_without.value
    return 0.0 if both[0] is None or both[1] is None else abs(both[0] - both[1])


def _case(each: Enumerated) -> str:
    """A configuration in words."""
    sampling = f"target at {each.target_sampling}, draft at {each.draft_sampling}"
    size = f"{each.vocabulary} words, k = {each.k}, {each.tokens} tokens"
    return f"{each.backend}, {size}, {each.draft} draft, {sampling}"
