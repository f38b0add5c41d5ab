"""Numbers to text: rounded once, with checked units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.evidence.format import parse_format

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Unit


@pytest.mark.parametrize(
    ("form", "unit", "number", "text"),
    [
        (".2f", "ratio", 1.4364, "1.44"),
        (".2f", "ratio", 0.125, "0.12"),  # as floats round: half to even
        (".0f", "count", 17.0, "17"),
        (",.0f", "count", 200000.0, "200,000"),
        (".0%", "share", 0.585, "58\u00a0%"),
        (".1%", "ratio", -0.0213, "\u22122.1\u00a0%"),
        (".0%", "ratio", -0.001, "0\u00a0%"),
        (".2f", "ratio", -0.004, "0.00"),
        (".1e", "share", 0.00012, "1.2e-04"),
        (".1e", "logits", 0.0000238, "2.4e-05"),
        (".1f GB", "bytes", 6.24e9, "6.2\u00a0GB"),
        (".1f GiB", "bytes", 2.0**31, "2.0\u00a0GiB"),
        (".1f million", "tokens", 2_613_531.0, "2.6\u00a0million"),
        (".0f ms", "ms", 189.6, "190\u00a0ms"),
        (".2f s", "ms", 1890.0, "1.89\u00a0s"),
        (".2f ×", "ratio", 1.5, "1.50\u00a0×"),
        (".1f", "tokens/s", 5.247, "5.2"),
        (".1f h", "minutes", 90.0, "1.5\u00a0h"),
    ],
)
def test_shown(form: str, unit: Unit, number: float, text: str) -> None:
    """Factor first, then the one rounding."""
    assert parse_format(form, unit).show(number) == text


@pytest.mark.parametrize(
    ("form", "unit", "says"),
    [
        ("2f", "ratio", "none of"),
        (".2", "ratio", "none of"),
        (".9f", "ratio", "none of"),
        (".2f  GB", "bytes", "none of"),
        ("{value}", "ratio", "none of"),
        ("", "ratio", "none of"),
        (".0%", "bytes", "per cent"),
        (".0% GB", "share", "per cent"),
        (".1f ms", "bytes", "it takes B, kB, MB, GB"),
        (".1f GB", "count", "it takes no unit at all"),
        (".0%", "logits", "per cent"),
    ],
)
def test_refused(form: str, unit: Unit, says: str) -> None:
    """A format that does not fit its unit is a fault of the register, not of the page."""
    with pytest.raises(InputError, match=says):
        parse_format(form, unit)
