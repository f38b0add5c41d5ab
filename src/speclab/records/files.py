"""Files are replaced whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from pathlib import Path


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write a file so that a reader, or a kill at any moment, finds the old content or the new, never a part.

    Args:
        path: Where to; its folder is made when missing, and a symbolic link is written through.
        data: Text (written as UTF-8, line ends as they are) or bytes.

    Raises:
        OSError: Also where a folder, a device or another special file stands there.
    """
    raw = data.encode() if isinstance(data, str) else data
    path = _destination(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def require_writable(path: Path) -> None:
    """Try, before the work, whether `write_atomic` could write there after it; nothing is left behind.

    Args:
        path: Where to; its folder has to be there already.

    Raises:
        OSError: As `write_atomic` would.
    """
    target = _destination(path)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}."):
        pass


def _destination(path: Path) -> Path:
    """The file itself, behind any symbolic links; a rename would replace a device as readily as a file."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return Path(os.path.realpath(path))


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
