"""What walks over all outcomes amount to, on rows written by hand."""

from __future__ import annotations

import pytest

from hand_rows import run_of
from speclab.evidence.estimates import EmptySelectionError, estimate
from synthetic_walks import walk_cell, walk_cells, walked


@pytest.mark.parametrize(
    ("name", "where", "value", "n"),
    [
        ("walks", {}, 4, 8),
        ("walks", {"group": "right"}, 1, 2),
        ("walks", {"group": "mistakes"}, 1, 2),
        ("walks_failed", {}, 0, 4),
        ("paths_walked", {}, 1200, 8),
        ("largest_law_error", {}, 3e-17, 2),
        ("largest_law_error", {"group": "draft cache"}, 1e-17, 2),
        ("wrong_by", {"end": "smallest"}, 0.2, 2),
        ("wrong_by", {"end": "largest", "group": "target cache"}, 0.3, 2),
        ("wrong_by", {"end": "largest", "subject": "fresh-draw"}, 0.3, 2),
        ("draft_distance", {}, 0.21, 7),
    ],
)
def test_counts(name: str, where: dict[str, object], value: float, n: int) -> None:
    """One walk of each group."""
    found = estimate(name, run_of(*walk_cells()), where)
    assert found.value == pytest.approx(value)
    assert found.n == n
    assert found.low is None


def test_a_failed_walk_is_counted() -> None:
    """Whichever group it belongs to."""
    run = run_of(walk_cell("ratio", walked(largest_error=0.1), verdict="failed"), walk_cell("own-draw"))
    assert estimate("walks_failed", run, {}).value == 1


def test_without_walks_there_is_nothing() -> None:
    """An empty selection is an error that says what there is."""
    with pytest.raises(EmptySelectionError, match="holds no walk over outcomes"):
        estimate("walks", run_of(), {})
    with pytest.raises(EmptySelectionError, match="no such walk; it has: ratio, fresh-draw"):
        estimate("wrong_by", run_of(*walk_cells()), {"end": "smallest", "subject": "guess"})
