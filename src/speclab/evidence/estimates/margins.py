"""Near-ties in float32: the gap of the two likeliest tokens against what the shape of a pass changes.

How many tokens until one falls otherwise: a pass over n tokens changes the gap g to g + d, and another token is
chosen where g + d < 0. Where the density f of the gaps is about f(0) from zero up to the largest |d|, that takes
place in a share f(0) E[max(-d, 0)] of the rows; where changes open a gap as often as they close it, this is
f(0) E|d| / 2. The first such row is then expected after 2 / (f(0) E|d|) tokens.
"""

from collections.abc import Iterator

from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate
from speclab.evidence.estimates.pooling import arithmetic
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import MarginsCell, ShapeChange
from speclab.theory.counts import poisson_interval

SMALL_GAP = 0.25
"""Below it the density of the gaps is taken to be that at zero, where a claim names no other limit. In logits."""
_COUNTED = "counted, not sampled"
_EXTREME = "an extreme of several values, not a mean"


def margins_cells(run: Run, *, kind: str | None = None) -> tuple[MarginsCell, ...]:
    """The texts of a kind, a cell each.

    Raises:
        EmptySelectionError: When there is none.
    """
    there = [cell for cell in run.results.cells if isinstance(cell, MarginsCell)]
    chosen = tuple(cell for cell in there if kind in (None, cell.kind))
    if not chosen:
        has = ", ".join(dict.fromkeys(cell.kind for cell in there))
        what = f"no margins of kind {kind!r}; it has: {has}" if there else "no margins"
        msg = f"run {run.record.id} holds {what}"
        raise EmptySelectionError(msg)
    return chosen


def margin_lengths(run: Run) -> tuple[int, ...]:
    """Lengths of the passes that were compared with passes over one token."""
    return tuple(sorted({shape.length for cell in margins_cells(run) for shape in cell.shapes}))


@named()
def margin_rows(run: Run, *, kind: str | None = None) -> Estimate:
    """Rows of which the gap was measured, one a new token; n counts the texts."""
    cells = margins_cells(run, kind=kind)
    rows = sum(len(cell.gaps) for cell in cells)
    return Estimate(value=rows, n=len(cells), of="texts", unit="count", reason=_COUNTED)


@named()
def smallest_gap(run: Run, *, kind: str | None = None) -> Estimate:
    """The smallest distance of the two largest logits in any row."""
    gaps = _gaps(run, kind)
    return Estimate(value=min(gaps), n=len(gaps), of="rows", unit="logits", reason=_EXTREME)


@named()
def logit_spacing(run: Run, *, kind: str | None = None) -> Estimate:
    """Distance between neighbouring float32 numbers at the largest of the two leading logits of any row."""
    cells = margins_cells(run, kind=kind)
    widest = max(cell.spacing for cell in cells)
    return Estimate(value=widest, n=len(cells), of="texts", unit="logits", reason=_EXTREME)


@named()
def gaps_below(run: Run, *, limit: float = SMALL_GAP, kind: str | None = None) -> Estimate:
    """Rows whose gap is under a limit; n counts the rows."""
    gaps = _gaps(run, kind)
    below = sum(gap < limit for gap in gaps)
    return Estimate(value=below, n=len(gaps), of="rows", unit="count", reason=_COUNTED)


@named("computed")
def gap_density(run: Run, *, limit: float = SMALL_GAP, kind: str | None = None) -> Estimate:
    """Density of the gaps at zero: the share of rows with a gap under `limit`, over `limit`.

    The interval is Poisson's on the count. It takes the texts as given: of other texts it says nothing.
    """
    gaps = _gaps(run, kind)
    below = sum(gap < limit for gap in gaps)
    value, low, high = (count / len(gaps) / limit for count in (below, *poisson_interval(below)))
    return Estimate(value=value, low=low, high=high, n=len(gaps), of="rows", unit="per logit")


@named()
def largest_shape_change(run: Run, *, length: int | None = None, kind: str | None = None) -> Estimate:
    """Largest change of any logit between passes over one token and passes over more."""
    there = list(_shapes(run, length, kind))
    largest = max(shape.largest_logit_change for _, shape in there)
    rows = sum(len(shape.gap_changes) for _, shape in there)
    return Estimate(value=largest, n=rows, of="rows", unit="logits", reason=_EXTREME)


@named()
def mean_gap_change(run: Run, *, length: int, kind: str | None = None) -> Estimate:
    """Mean change, without its sign, of the difference between the two likeliest logits at a length of passes."""
    means: dict[str, list[float]] = {}
    for cell, shape in _shapes(run, length, kind):
        means.setdefault(cell.kind, []).append(sum(map(abs, shape.gap_changes)) / len(shape.gap_changes))
    return arithmetic(means, unit="logits", of="texts")


@named()
def shape_flips(run: Run, *, length: int | None = None, kind: str | None = None) -> Estimate:
    """Rows in which a pass over more tokens made another token the likeliest; n counts the rows compared."""
    there = list(_shapes(run, length, kind))
    rows = sum(len(shape.gap_changes) for _, shape in there)
    return Estimate(value=sum(shape.flips for _, shape in there), n=rows, of="rows", unit="count", reason=_COUNTED)


@named("computed")
def tokens_to_divergence(run: Run, *, length: int, limit: float = SMALL_GAP, kind: str | None = None) -> Estimate:
    """Expected number of tokens until passes over `length` tokens choose otherwise once: 2 / (f(0) E|d|).

    f(0) is `gap_density` and E|d| `mean_gap_change`; the interval is that of f(0) alone.
    """
    density = gap_density(run, limit=limit, kind=kind)
    change = mean_gap_change(run, length=length, kind=kind).number()

    def tokens(at: float | None) -> float | None:
        return 2 / (at * change) if at else None

    missing = None
    if not density.value:
        missing = f"none of {density.n} rows has a gap under {limit:g}"
    elif not change:
        missing = f"passes over {length} tokens changed no gap"
    if missing:
        return Estimate(value=None, n=density.n, of="rows", unit="tokens", reason=missing)
    return Estimate(
        value=tokens(density.value),
        low=tokens(density.high),
        high=tokens(density.low),
        n=density.n,
        of="rows",
        unit="tokens",
    )


@named()
def constructed_ties(run: Run, *, kind: str | None = None) -> Estimate:
    """Texts in which a bias on one logit was found that lets the length of the pass decide; n counts the texts."""
    cells = margins_cells(run, kind=kind)
    shown = sum(cell.constructed.value is not None for cell in cells)
    return Estimate(value=shown, n=len(cells), of="texts", unit="count", reason=_COUNTED)


def _gaps(run: Run, kind: str | None) -> list[float]:
    return [gap for cell in margins_cells(run, kind=kind) for gap in cell.gaps]


def _shapes(run: Run, length: int | None, kind: str | None) -> Iterator[tuple[MarginsCell, ShapeChange]]:
    cells = margins_cells(run, kind=kind)
    if length not in {None, *margin_lengths(run)}:
        has = ", ".join(map(str, margin_lengths(run)))
        msg = f"run {run.record.id} holds no margins of passes over {length} tokens; it has: {has}"
        raise EmptySelectionError(msg)
    return ((cell, shape) for cell in cells for shape in cell.shapes if length in (None, shape.length))
