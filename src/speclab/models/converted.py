"""A converted model in the cache, and what its folder says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from speclab.records.base import Record
from speclab.records.files import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

NAME = "speclab-model.json"


class Converted(Record):
    """What a conversion made, of what. The file `speclab-model.json`, written last."""

    format: Literal[1] = 1
    source: str
    """Where the weights came from, without a path of this machine."""
    sha256: str
    """Digest of the GGUF file."""
    history: str
    unused: tuple[int, ...]
    """Ids that the GGUF file marks unused, or does not list."""
    end_of_text: tuple[int, ...]
    files: dict[str, int]
    """Size of every other file of the folder, by name."""


def write_converted(folder: Path, record: Converted) -> None:
    """Write what a folder holds."""
    write_atomic(folder / NAME, record.model_dump_json(indent=2) + "\n")


def read_converted(folder: Path) -> Converted | None:
    """The record of a complete folder; None where there is none, or a file of it is missing or cut off."""
    try:
        record = Converted.model_validate_json((folder / NAME).read_text(encoding="utf-8"))
        whole = all((folder / name).stat().st_size == size for name, size in record.files.items())
    except (OSError, ValidationError):
        return None
    return record if whole else None
