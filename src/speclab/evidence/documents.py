"""The hand-kept TOML files of `research/`: read whole, refused in one line."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_toml(path: Path, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a file that must be there.

    Args:
        path: Of the file.
        parse_float: Makes a number of its digits; `Decimal` keeps them as they were printed.

    Raises:
        InputError: When it is missing, or not TOML in UTF-8.
    """
    if not path.is_file():
        msg = f"{path} is missing: restore it from version control"
        raise InputError(msg)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=parse_float)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is not TOML in UTF-8 ({error}): correct it there"
        raise InputError(msg) from None


def line_of(path: Path, key: str, value: str, *, last: bool = False) -> int | None:
    """Number of the first or last line `key = "value"` of a file, or None; for messages only."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    wanted = f'{key}="{value}"'
    found = [number for number, line in enumerate(lines, 1) if "".join(line.split()).startswith(wanted)]
    return found[-1 if last else 0] if found else None
