"""What a GGUF file says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gguf
import numpy as np
import pytest

from small_models import TOKENS, write_gguf
from speclab.errors import InputError
from speclab.models.gguf_header import read_header

if TYPE_CHECKING:
    from pathlib import Path


def test_reads_what_the_gguf_package_reads(tmp_path: Path) -> None:
    """Every field, and the number of parameters."""
    path = write_gguf(tmp_path / "small.gguf", unused=5)
    header = read_header(path)
    reader = gguf.GGUFReader(path)
    theirs = {key: field.contents() for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    assert header.fields == theirs
    assert header.parameters == sum(int(tensor.n_elements) for tensor in reader.tensors)


def test_says_what_is_padding_and_how_it_is_stored(tmp_path: Path) -> None:
    """Unused tokens by their type, the end of text, the kind of quantisation."""
    header = read_header(write_gguf(tmp_path / "small.gguf", unused=5))
    assert header.unused == tuple(range(len(TOKENS), len(TOKENS) + 5))
    assert header.tokens == len(TOKENS) + 5
    assert header.end_of_text == (0,)
    assert header.stored == "Q8_0"


def test_names_of_file_types_are_those_of_the_format() -> None:
    """As the gguf package lists them."""
    from speclab.models.gguf_header import _FILE_TYPES

    for number, name in _FILE_TYPES.items():
        assert gguf.LlamaFileType(number).name in {f"MOSTLY_{name}", f"ALL_{name}"}


@pytest.mark.parametrize("kept", [0, 3, 6, 20, 100, 2000])
def test_a_file_cut_off_in_its_header(tmp_path: Path, kept: int) -> None:
    """At any place: one line, never a traceback."""
    path = write_gguf(tmp_path / "small.gguf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"small\.gguf is not a usable GGUF file: "):
        read_header(path)


def test_flipped_bytes_never_end_in_a_traceback(tmp_path: Path) -> None:
    """A header that was damaged anywhere is read, or refused in one line."""
    path = write_gguf(tmp_path / "small.gguf")
    raw, numbers, refused = path.read_bytes()[:6000], np.random.default_rng(0), 0
    for _ in range(300):
        damaged = bytearray(raw)
        for place in numbers.integers(8, 400, size=3):
            damaged[place] = numbers.integers(256)
        path.write_bytes(damaged)
        try:
            read_header(path)
        except InputError as error:
            refused += "\n" not in str(error)
    assert refused > 100


def test_another_kind_of_file(tmp_path: Path) -> None:
    """It does not begin as one does, or is of a version that is not known."""
    path = tmp_path / "small.gguf"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(InputError, match="does not begin as one does"):
        read_header(path)
    path.write_bytes(b"GGUF\x01\x00\x00\x00" + bytes(100))
    with pytest.raises(InputError, match="version 1 is not known"):
        read_header(path)
