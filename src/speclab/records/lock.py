"""One measurement at a time on a machine: two would time each other."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def lock_path() -> Path:
    """The file whose lock means that something is being measured, in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "speclab" / "measuring.lock"


@contextmanager
def measuring(run_id: str) -> Iterator[None]:
    """Hold the lock while a run is measured.

    The operating system drops the lock with the process that holds it, so a killed run leaves none behind.

    Raises:
        InputError: When another run holds it; names that run and its process.
    """
    path = lock_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        msg = f"cannot open {path} ({error.strerror}): set XDG_CACHE_HOME to a folder that can be written"
        raise InputError(msg) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            run, pid = _holder(path)
            msg = (
                f"{run} is being measured on this machine by process {pid}, and two measurements would disturb "
                "each other: wait until it has ended, or stop it with Ctrl-C"
            )
            raise InputError(msg) from None
        file.truncate(0)
        file.write(json.dumps({"run": run_id, "pid": os.getpid()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def measured_now() -> str | None:
    """Id of the run that is being measured at this moment, or None."""
    path = lock_path()
    # A run that ended in order leaves the file empty; then the lock is not touched, and no start is disturbed.
    if not path.exists() or not path.stat().st_size:
        return None
    with path.open(encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return _holder(path)[0]
    return None


def _holder(path: Path) -> tuple[str, str]:
    """Run and process that hold the lock; the file is empty for an instant while it changes hands."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return str(held["run"]), str(held["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return "another run", "unknown"
