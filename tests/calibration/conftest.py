"""Every test of this folder prints in one line what it found, whichever process ran it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

FOUND = "found"


@pytest.fixture
def found(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Keep a line for the summary."""
    return lambda line: record_property(FOUND, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the lines, also those of other processes and of tests that passed."""
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.getreports(kind)]
    lines = [
        f"{report.nodeid.rpartition('::')[2]} ({report.duration:.0f} s)\n    {line}"
        for report in reports
        if report.when == "call"
        for name, line in report.user_properties
        if name == FOUND
    ]
    if lines:
        terminalreporter.section("calibration")
        for line in lines:
            terminalreporter.write_line(line)
