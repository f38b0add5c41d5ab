"""Conditions of the wording: what they say, when they break, and that they are never run."""

from __future__ import annotations

import pytest

from speclab.errors import InputError
from speclab.evidence.estimates import Estimate
from speclab.evidence.holds import parse_holds

KNOWN = {"other": 1.3, "other.low": 1.2, "speed.code.k2.high": 2.0}
FOUND = Estimate(value=1.5, low=1.25, high=1.75, n=6)


@pytest.mark.parametrize(
    "text",
    [
        "low > 1",
        "low>=1.25",
        "high < 2",
        "high <= 1.75",
        "value > other",
        "low > other.low",
        "value < speed.code.k2.high",
        "value between 1.5 and 2",
        "value between other and speed.code.k2.high",
        "low > -1",
    ],
)
def test_holds(text: str) -> None:
    """Both ends of `between` are allowed."""
    assert parse_holds(text).fault(FOUND, KNOWN.__getitem__) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("low > 1.25", "`low > 1.25` no longer holds: low is 1.25; the value is 1.5, 1.25 to 1.75"),
        ("low > other", r"low is 1.25 \(other is 1.3\)"),
        ("high < 1.7", "high is 1.75"),
        ("value between 1.6 and 2", "value is 1.5"),
        ("value between 1 and 1.4", "value is 1.5"),
    ],
)
def test_broken(text: str, says: str) -> None:
    """The line gives the numbers that the wording has to follow."""
    assert says.replace("\\", "") in str(parse_holds(text).fault(FOUND, KNOWN.__getitem__))


def test_without_an_interval_a_condition_on_its_end_is_broken() -> None:
    """Too few prompts cannot carry a wording; the value still can."""
    bare = Estimate(value=1.5, n=1, reason="1 prompt")
    assert parse_holds("low > 1").fault(bare, KNOWN.__getitem__) == (
        "`low > 1` cannot hold: there is no low (1 prompt)"
    )
    assert parse_holds("value > 1").fault(bare, KNOWN.__getitem__) is None


def test_names_of_other_claims_are_found() -> None:
    """So that a claim can be checked to exist."""
    assert parse_holds("value between a.b and 2").refers_to == ("a.b",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "low",
        "low = 1",
        "low == 1",
        "median > 1",
        "low > 1 and high < 2",
        "1 < low",
        "low > __import__('os')",
        "low > 1e3",
        "low > (1)",
        "value between 1",
        "low > Other",
    ],
)
def test_refused(text: str) -> None:
    """Anything that is not one of the two forms."""
    with pytest.raises(InputError, match="is not a condition"):
        parse_holds(text)
