"""Near-ties in float32, on rows small enough to work out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hand_rows import run_of
from speclab.evidence.estimates import EmptySelectionError, estimate, find_estimate
from speclab.records.base import Reading
from speclab.records.rows import ConstructedTie, MarginsCell, ShapeChange
from speclab.theory.counts import poisson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.records.reader import Run

NO_TIE = Reading[ConstructedTie](reason="none was found")


def text(
    prompt: str,
    gaps: Sequence[float],
    changes: dict[int, Sequence[float]],
    *,
    flips: int = 0,
    spacing: float = 2e-6,
) -> MarginsCell:
    """A text of the kind that its name begins with; the largest change of any logit is twice that of a gap."""
    return MarginsCell(
        prompt=prompt,
        kind=prompt.rsplit("-", 1)[0],
        prompt_tokens=5,
        gaps=tuple(gaps),
        spacing=spacing,
        shapes=tuple(
            ShapeChange(
                length=length,
                largest_logit_change=2 * max(map(abs, each)),
                gap_changes=tuple(each),
                flips=flips,
            )
            for length, each in changes.items()
        ),
        constructed=NO_TIE,
        nanoseconds=1,
    )


RUN = run_of(
    text("prose-1", (0.1, 0.5, 2.0, 4.0), {2: (1e-6, -1e-6, 0.0, 2e-6), 5: (2e-6, 2e-6, -2e-6, 2e-6)}, flips=1),
    text("prose-2", (0.2, 0.3, 1.0, 3.0), {2: (-3e-6, 3e-6, 3e-6, 3e-6), 5: (0.0, 0.0, 8e-6, 0.0)}),
    text(
        "code-1", (0.25, 1.0, 5.0, 9.0), {2: (1e-6, 1e-6, 1e-6, 1e-6), 5: (1e-6, 1e-6, 1e-6, 5e-6)}, spacing=1e-6
    ),
)


@pytest.mark.parametrize(
    ("name", "where", "value", "n"),
    [
        ("margin_rows", {}, 12, 3),
        ("margin_rows", {"kind": "code"}, 4, 1),
        ("smallest_gap", {}, 0.1, 12),
        ("smallest_gap", {"kind": "code"}, 0.25, 4),
        ("logit_spacing", {}, 2e-6, 3),
        ("logit_spacing", {"kind": "code"}, 1e-6, 1),
        ("gaps_below", {}, 2, 12),
        ("gaps_below", {"limit": 1.0}, 5, 12),
        ("gap_density", {}, 2 / 12 / 0.25, 12),
        ("gap_density", {"limit": 1.0, "kind": "prose"}, 4 / 8, 8),
        ("largest_shape_change", {}, 16e-6, 12 * 2),
        ("largest_shape_change", {"length": 2, "kind": "prose"}, 6e-6, 8),
        # Kinds weigh the same: prose 1 and 3 millionths, code 1; at five tokens 2 and 2, and 2.
        ("mean_gap_change", {"length": 2}, 1.5e-6, 3),
        ("mean_gap_change", {"length": 5}, 2e-6, 3),
        ("shape_flips", {}, 2, 24),
        ("shape_flips", {"length": 5, "kind": "prose"}, 1, 8),
        ("constructed_ties", {}, 0, 3),
        # 2 / (density x mean change).
        ("tokens_to_divergence", {"length": 5}, 2 / (2 / 3 * 2e-6), 12),
        ("tokens_to_divergence", {"length": 2, "limit": 1.0, "kind": "prose"}, 2 / (0.5 * 2e-6), 8),
    ],
)
def test_by_hand(name: str, where: dict[str, object], value: float, n: int) -> None:
    """Three texts of four rows, two lengths."""
    found = estimate(name, RUN, where)
    assert found.value == pytest.approx(value)
    assert found.n == n


def test_the_density_is_known_as_well_as_its_count() -> None:
    """Poisson's interval on two rows; the expected number of tokens has it upside down."""
    density = estimate("gap_density", RUN, {})
    low, high = poisson_interval(2)
    assert (density.low, density.high) == pytest.approx((low / 3, high / 3))
    tokens = estimate("tokens_to_divergence", RUN, {"length": 5})
    assert (tokens.low, tokens.high) == pytest.approx((2 / (high / 3 * 2e-6), 2 / (low / 3 * 2e-6)))
    assert tokens.unit == "tokens"
    assert find_estimate("tokens_to_divergence").value_class == "computed"


def test_flips_come_as_often_as_expected() -> None:
    """Gaps spread evenly and changes either way: the derivation against counting, row by row."""
    limit, change, rows = 0.5, 0.01, 2000
    gaps = [limit * (row + 0.5) / rows for row in range(rows)]
    flips = sum(gap + sign * change < 0 for gap in gaps for sign in (-1, 1)) / 2  # either sign every other time
    run = run_of(text("prose-1", gaps, {2: [change * (-1) ** row for row in range(rows)]}))
    expected = estimate("tokens_to_divergence", run, {"length": 2, "limit": limit}).number()
    assert expected == pytest.approx(rows / flips)


def test_where_no_gap_is_small_nothing_is_expected() -> None:
    """Zero rows under the limit say how dense the gaps are at most, and no number of tokens."""
    density = estimate("gap_density", RUN, {"limit": 0.05})
    assert (density.value, density.low) == (0, 0)
    assert density.high == pytest.approx(3.689 / 12 / 0.05, rel=1e-3)
    tokens = estimate("tokens_to_divergence", RUN, {"length": 2, "limit": 0.05})
    assert tokens.value is None
    assert tokens.reason == "none of 12 rows has a gap under 0.05"


def test_where_nothing_changes_nothing_is_expected() -> None:
    """No division by zero."""
    tokens = estimate("tokens_to_divergence", run_of(text("prose-1", (0.1, 0.2), {2: (0.0, 0.0)})), {"length": 2})
    assert (tokens.value, tokens.reason) == (None, "passes over 2 tokens changed no gap")


@pytest.mark.parametrize(
    ("run", "name", "where", "says"),
    [
        (RUN, "smallest_gap", {"kind": "verse"}, "no margins of kind 'verse'; it has: prose, code"),
        (RUN, "mean_gap_change", {"length": 3}, "no margins of passes over 3 tokens; it has: 2, 5"),
        (run_of(), "gap_density", {}, "holds no margins"),
    ],
)
def test_an_empty_selection_is_named(run: Run, name: str, where: dict[str, object], says: str) -> None:
    """With what there is."""
    with pytest.raises(EmptySelectionError, match=says):
        estimate(name, run, where)
