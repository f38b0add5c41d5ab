"""The simulated run's walks over all outcomes: one that is right, one mistake, one fault of each cache."""

from __future__ import annotations

from typing import Any

from speclab.records.base import Reading
from speclab.records.rows import Enumerated, ExactnessCell

NONE = Reading[float](reason="none here")


def walked(**changes: Any) -> Enumerated:
    """One configuration with an exact law."""
    fields: dict[str, Any] = {
        "backend": "table",
        "vocabulary": 3,
        "k": 2,
        "tokens": 3,
        "draft": "noisy",
        "target_sampling": "temperature 1",
        "draft_sampling": "temperature 1",
        "paths": 150,
        "outcomes": 27,
        "total_variation": 2e-17,
        "largest_error": 1e-17,
        "smallest_distance": 0.21,
        "acceptance": Reading[float](value=0.4),
        "acceptance_without": NONE,
    }
    return Enumerated.model_validate(fields | changes)


def walk_cell(subject: str, *configurations: Enumerated, **changes: Any) -> ExactnessCell:
    """One walk, of a right rule where nothing else is said."""
    fields: dict[str, Any] = {
        "subject": subject,
        "says": f"what {subject} does",
        "part": "rule",
        "exact": True,
        "configurations": configurations or (walked(), walked(vocabulary=4, largest_error=3e-17)),
        "cache_error": NONE,
        "verdict": "exact",
        "nanoseconds": 1_000_000,
    }
    return ExactnessCell.model_validate(fields | changes)


def walk_cells() -> tuple[ExactnessCell, ...]:
    """One of each group."""
    wrong = {"exact": False, "verdict": "wrong as it must be"}
    off = (
        walked(total_variation=0.2, largest_error=0.1),
        walked(total_variation=0.3, largest_error=0.2, tokens=5),
    )
    error = Reading[float](value=4.4)
    moved = walked(
        draft="perfect",
        backend="transformer",
        acceptance=Reading[float](value=0.97),
        acceptance_without=Reading[float](value=1.0),
    )
    return (
        walk_cell("ratio"),
        walk_cell("fresh-draw", *off, **wrong),
        walk_cell("target-cache-long", *off, part="target cache", cache_error=error, **wrong),
        walk_cell("draft-cache-short", walked(), moved, part="draft cache", cache_error=error),
    )
