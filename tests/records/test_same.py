"""What two lists of digests or versions do not share."""

from __future__ import annotations

import pytest

from speclab.records.same import differing


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({}, {}, None),
        ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}, None),
        ({"a": "1"}, {"a": "2"}, "a"),
        ({"b": "1"}, {}, "b"),
        ({"c": "1", "b": "1", "a": "1"}, {"a": "1", "d": "1"}, "b and 2 more"),
    ],
)
def test_names_the_first_and_counts_the_rest(one: dict[str, str], other: dict[str, str], said: str | None) -> None:
    """An entry that one list lacks counts like one that differs."""
    assert differing(one, other) == said
    assert differing(other, one) == said
