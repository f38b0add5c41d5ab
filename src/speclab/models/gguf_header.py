"""What a GGUF file says about itself, read without its tensors.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (little-endian, versions 2 and 3).
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_UNUSED = 5
"""Type of a token that only fills the list up to a round size."""
# Numbers of `general.file_type`: how most tensors are stored.
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 32: "BF16",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The metadata of a GGUF file, by its own keys."""

    fields: dict[str, Any]
    parameters: int
    """Numbers in all tensors."""

    @property
    def stored(self) -> str:
        """How most weights are stored, for instance `Q4_K_M`."""
        number = self.fields.get("general.file_type")
        return _FILE_TYPES.get(number, f"GGUF file type {number}") if number is not None else "GGUF"

    @property
    def unused(self) -> tuple[int, ...]:
        """Ids of the tokens that the file marks unused."""
        kinds = self.fields.get("tokenizer.ggml.token_type", ())
        return tuple(index for index, kind in enumerate(kinds) if kind == _UNUSED)

    @property
    def tokens(self) -> int:
        """Length of the token list, unused ones included."""
        return len(self.fields.get("tokenizer.ggml.tokens", ()))

    @property
    def end_of_text(self) -> tuple[int, ...]:
        """Ids that the file names as the end of a text or of a turn."""
        keys = ("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id")
        return tuple(dict.fromkeys(self.fields[key] for key in keys if key in self.fields))


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 8

    def scalar(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self._data, self._at)
        self._at += struct.calcsize(f"<{kind}")
        return value

    def string(self) -> str:
        length = self.scalar("Q")
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8", errors="replace")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            inner, count = self.scalar("I"), self.scalar("Q")
            return [self.value(inner) for _ in range(count)]
        return self.scalar(_SCALARS[kind])

    def tensor(self) -> int:
        """Pass over the description of one tensor; returns how many numbers it has."""
        self.string()
        size: int = math.prod(self.scalar("Q") for _ in range(self.scalar("I")))
        self.scalar("I")  # type
        self.scalar("Q")  # offset
        return size


def read_header(path: Path) -> GgufHeader:
    """Read the metadata of a GGUF file.

    Raises:
        InputError: When it is not one, or ends too early.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:4] != b"GGUF":
                raise InputError(_unusable(path, "it does not begin as one does"))
            version = struct.unpack_from("<I", data, 4)[0]
            if version not in {2, 3}:
                raise InputError(_unusable(path, f"version {version} is not known (2 and 3 are)"))
            reader = _Reader(data)
            tensors, fields = reader.scalar("Q"), {}
            for _ in range(reader.scalar("Q")):
                key = reader.string()
                fields[key] = reader.value(reader.scalar("I"))
            return GgufHeader(fields, sum(reader.tensor() for _ in range(tensors)))
    except (struct.error, ValueError, KeyError, OverflowError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(_unusable(path, "its header is cut off or damaged")) from None


def _unusable(path: Path, why: str) -> str:
    return f"{path} is not a usable GGUF file: {why}"
