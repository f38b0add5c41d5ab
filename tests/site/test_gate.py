"""Every check of the gate ends in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclab.errors import CheckError, InputError
from speclab.site.gate import finish

if TYPE_CHECKING:
    from collections.abc import Iterator


def fails(error: Exception) -> Iterator[str]:
    yield "found before"
    raise error


def test_without_a_fault_it_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """And ends with 0."""
    with pytest.raises(SystemExit) as end:
        finish(list)
    assert (end.value.code, capsys.readouterr().err) == (0, "")


def test_each_fault_is_a_line_and_it_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr, in their order."""
    with pytest.raises(SystemExit) as end:
        finish(lambda: ["a", "b"])
    assert (end.value.code, capsys.readouterr().err) == (1, "a\nb\n")


@pytest.mark.parametrize("error", [InputError("no such site"), CheckError("it no longer holds")])
def test_a_check_that_cannot_be_made_is_a_fault(capsys: pytest.CaptureFixture[str], error: Exception) -> None:
    """In one line, without a traceback."""
    with pytest.raises(SystemExit) as end:
        finish(lambda: fails(error))
    assert (end.value.code, capsys.readouterr().err) == (1, f"{error}\n")
