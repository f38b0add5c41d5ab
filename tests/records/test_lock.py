"""One measurement at a time."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.records.lock import lock_path, measured_now, measuring

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


HOLD = """
from speclab.records.lock import measuring
with measuring("quick-1"):
    print("held", flush=True)
    input()
"""


def test_second_measurement_is_refused_until_the_first_is_gone() -> None:
    """The message names the other run and its process; a killed holder leaves no lock behind."""
    command = [sys.executable, "-c", HOLD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert measured_now() == "quick-1"
        with pytest.raises(InputError, match=f"quick-1 is being measured on this machine by process {other.pid}"):
            measuring("quick-2").__enter__()
        other.kill()
    assert lock_path().read_text("utf-8")
    assert measured_now() is None
    with measuring("quick-2"):
        pass


def test_lock_ends_with_the_run() -> None:
    """Nothing is measured before, and nothing after, whatever ended the run."""
    assert measured_now() is None
    holder = measuring("quick-1")
    holder.__enter__()
    assert measured_now() == "quick-1"
    assert not holder.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert measured_now() is None
    assert not lock_path().read_text("utf-8")


def test_cache_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and the way out."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match="set XDG_CACHE_HOME"):
        measuring("quick-1").__enter__()
