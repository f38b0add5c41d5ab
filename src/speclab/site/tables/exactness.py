"""Laws of the loop's output, with every outcome counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.exactness import exactness_cells
from speclab.site.blocks import block
from speclab.site.building import current
from speclab.site.html import Html, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from speclab.evidence.estimates.exactness import Group
    from speclab.records.rows import Enumerated, ExactnessCell

TOLERANCE = "given.exact.tolerance"
"""Below it a difference is that of rounding."""


@block
def exactness_right(run_id: str | None = None) -> str:
    """The ways that have to be exact, and how far their laws are from the target's."""
    return _table(run_id, "right", "Exact: ways whose law has to be the target's")


@block
def exactness_mistakes(run_id: str | None = None) -> str:
    """Rules and proposers that are wrong on purpose, and how far their laws are from the target's."""
    return _table(run_id, "mistakes", "Wrong on purpose: rules and proposers")


@block
def exactness_caches(run_id: str | None = None) -> str:
    """Faults of the caches: of the target's, which change the law, and of the draft's, which do not."""
    run = run_of(run_id)
    cells = (*exactness_cells(run, group="target cache"), *exactness_cells(run, group="draft cache"))
    rows = [
        (
            cell.says,
            _range(cell, lambda row: row.total_variation),
            "–" if cell.cache_error.value is None else f"{cell.cache_error.value:.2g}",
            _accepted(cell.configurations, "noisy"),
            _accepted(cell.configurations, "perfect"),
            cell.verdict,
        )
        for cell in cells
    ]
    return table(
        f"Faults of a cache, run {run.record.id}",
        (
            "fault",
            "total variation",
            "keys off by",
            "stood",
            "stood, same weights",
            "verdict",
        ),
        "lrrrrl",
        rows,
        note="Total variation of the output's law from the target's, over the configurations. Keys off by: the "
        "largest error of a key or value. Stood: share of the decided proposals of a noisy draft, and of a draft "
        "with the target's own weights; in brackets without the fault, where it is the draft's. Of several "
        "configurations, the one over the most tokens.",
    )


@block
def exactness_configurations(run_id: str | None = None) -> str:
    """Every configuration of the right rule."""
    run = run_of(run_id)
    (cell,) = exactness_cells(run, subject="ratio")
    rows = [
        (
            row.backend,
            row.vocabulary,
            row.k,
            row.tokens,
            row.draft,
            row.target_sampling,
            row.draft_sampling,
            f"{row.paths:,}",
            f"{row.outcomes:,}",
            f"{row.largest_error:.1e}",
            "–" if row.acceptance.value is None else f"{row.acceptance.value:.3f}",
        )
        for row in cell.configurations
    ]
    return table(
        f"Every configuration of the right rule, run {run.record.id}",
        (
            "models",
            "vocabulary",
            "k",
            "tokens",
            "draft",
            "target's sampling",
            "draft's sampling",
            "paths",
            "sequences",
            "largest error",
            "acceptance",
        ),
        "lrrrlllrrrr",
        rows,
    )


def _table(run_id: str | None, group: Group, caption: str) -> Html:
    run = run_of(run_id)
    rows = [
        (
            cell.says,
            len(cell.configurations),
            f"{sum(row.paths for row in cell.configurations):,}",
            _range(cell, lambda row: row.total_variation),
            f"{max(row.largest_error for row in cell.configurations):.1e}",
            cell.verdict,
        )
        for cell in exactness_cells(run, group=group)
    ]
    return table(
        f"{caption}, run {run.record.id}",
        ("what", "configurations", "paths", "total variation", "largest error", "verdict"),
        "lrrrrl",
        rows,
        note="Total variation of the law of the output from the target's, smallest to largest over the "
        "configurations; the largest error is that of a single sequence's probability.",
    )


def _range(cell: ExactnessCell, of: Callable[[Enumerated], float]) -> Html:
    found = sorted(of(row) for row in cell.configurations)
    if found[-1] < current().register.number(TOLERANCE):
        return Html(f"below {number(TOLERANCE)}")
    return text(f"{found[0]:.3f} to {found[-1]:.3f}")


def _accepted(rows: Iterable[Enumerated], draft: str) -> str:
    row = max((row for row in rows if row.draft == draft), key=lambda row: row.tokens, default=None)
    if row is None or row.acceptance.value is None:
        return "–"
    without = "" if row.acceptance_without.value is None else f" ({row.acceptance_without.value:.3f})"
    return f"{row.acceptance.value:.3f}{without}"
