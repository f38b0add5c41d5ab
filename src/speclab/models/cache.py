"""The user's cache folder: one folder a model, put there whole, and a place to work that never looks complete."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.models.report import Report

SPARE_BYTES = 64 * 2**20
"""Room for the tokenizer, the configuration and a file system's own needs."""


def cache_folder() -> Path:
    """Where models are kept: `SPECLAB_CACHE`, else the platform's cache folder."""
    chosen = os.environ.get("SPECLAB_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "speclab"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "speclab"


def model_folder(key: str) -> Path:
    """Where the converted model of that key lies once it is complete."""
    return cache_folder() / "models" / key


@contextmanager
def workspace(key: str, report: Report) -> Iterator[Path]:
    """An empty folder on the cache's file system, for one process at a time; nothing of it is left behind.

    What a killed process left there is removed by the next one that holds the lock.

    Args:
        key: Name of the model; each has a lock of its own.
        report: Told when another process is at work on the same model, which is then waited for.

    Yields:
        The folder, which is removed at the end however that comes.

    Raises:
        InputError: When the cache folder cannot be written.
    """
    folder = cache_folder() / "work" / key
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = folder.with_name(f"{key}.lock").open("a", encoding="utf-8")
    except OSError as error:
        msg = (
            f"the cache folder {cache_folder()} cannot be written ({error.strerror}): "
            "set SPECLAB_CACHE to a folder that can"
        )
        raise InputError(msg) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            report(f"{key}: another process is at work on it, waiting", 0, 0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def install(built: Path, key: str) -> Path:
    """Move a complete folder from the workspace to its place by one rename, in place of a damaged one if any."""
    place = model_folder(key)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(built.with_name("damaged"))
    built.rename(place)
    return place


def require_space(needed: int, what: str) -> None:
    """Refuse before anything is written when the cache's disk has too little room.

    Args:
        needed: Bytes that the work holds at its largest.
        what: What they are for.
    """
    folder = cache_folder()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE_BYTES:
        msg = (
            f"no disk space for {what}: it needs {(needed + SPARE_BYTES) / 1e9:.1f} GB in {cache_folder()}, where "
            f"{free / 1e9:.1f} GB are free; make room, or set SPECLAB_CACHE to a folder on another disk"
        )
        raise InputError(msg)
