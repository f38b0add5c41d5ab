"""One file into one record, or one clear line: nothing is guessed, coerced or passed over."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from speclab.errors import InputError
from speclab.records.base import Record

if TYPE_CHECKING:
    from pathlib import Path

R = TypeVar("R", bound=Record)

LARGEST_BYTES = 64 * 2**20
"""A file larger than this is not one of ours, and is not read into memory to find out."""


def read_bytes(path: Path, remedy: str) -> bytes:
    """The content of a file that must be there and of a sane size.

    Raises:
        InputError: When it is missing, not a plain file, or larger than `LARGEST_BYTES`.
    """
    if not path.is_file():
        msg = f"{path} is missing: {remedy}"
        raise InputError(msg)
    size = path.stat().st_size
    if size > LARGEST_BYTES:
        msg = (
            f"{path} holds {size / 2**20:.0f} MiB, more than the {LARGEST_BYTES // 2**20} that are read: {remedy}"
        )
        raise InputError(msg)
    return path.read_bytes()


def parse_strict(kind: type[R], raw: bytes, path: Path, remedy: str) -> R:
    """Make a record of JSON text; types must be exact, and a `format` must be written out.

    Raises:
        InputError: With the file, the place in it, what is wrong there, and the remedy.
    """
    try:
        record = kind.model_validate_json(raw, strict=True)
    except ValidationError as error:
        msg = f"{path} {_fault(error)}: {remedy}"
        raise InputError(msg) from None
    if "format" in kind.model_fields and "format" not in record.model_fields_set:
        msg = f"{path} does not say its format, and this version reads format 1 only: {remedy}"
        raise InputError(msg)
    return record


def read_strict(kind: type[R], path: Path, remedy: str) -> R:
    """`read_bytes`, then `parse_strict`."""
    return parse_strict(kind, read_bytes(path, remedy), path, remedy)


def _fault(error: ValidationError) -> str:
    """The fault that explains the others, in a few words."""
    faults = error.errors(include_url=False, include_context=False)
    first = faults[0]
    if first["type"] == "json_invalid":
        return f"is not whole JSON, it was cut or edited ({first['msg'].removeprefix('Invalid JSON: ')})"
    for fault in faults:
        if fault["loc"] == ("format",):
            return f"is of format {str(fault['input'])[:20]}, and this version reads format 1 only"
    for fault in faults:
        if isinstance(fault["input"], float) and not math.isfinite(fault["input"]):
            return f"holds {fault['input']} at {_place(fault['loc'])}, where a record has a number or a reason"
    if first["type"] == "missing":
        return f"has no {_place(first['loc'])}"
    return f"does not fit its format at {_place(first['loc'])} ({first['msg'].removeprefix('Value error, ')})"


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)[:120] or "its top level"
