"""A run's folder goes from one place to another whole."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from speclab.errors import InputError


def move_whole(folder: Path, target: Path) -> None:
    """Move a run's folder so that it is whole in one of the two places at every moment.

    Args:
        folder: Where it is; nothing happens where that is the target.
        target: Where it goes; on another disk it is copied first.

    Raises:
        InputError: When something is there already.
    """
    if folder == target:
        return
    if target.exists():
        msg = f"both {folder} and {target} are there: take away the one that is not meant"
        raise InputError(msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=".new-"))
        shutil.copytree(folder, fresh / "run")
        (fresh / "run").rename(target)
        fresh.rmdir()
        shutil.rmtree(folder)
