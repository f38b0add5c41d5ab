"""Two builds are compared byte by byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclab.site.again import differing

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, **files: bytes) -> Path:
    """A folder with these files, one level down."""
    (folder / "deep").mkdir(parents=True)
    for name, content in files.items():
        (folder / "deep" / name).write_bytes(content)
    return folder


def test_equal_sites_differ_in_nothing(tmp_path: Path) -> None:
    """Whatever their names."""
    assert differing(written(tmp_path / "a", x=b"1"), written(tmp_path / "b", x=b"1")) == []


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"x": b"abc"}, {"x": b"abd"}, "deep/x: byte 2 differs: b'abc' and b'abd'"),
        ({"x": b"abc"}, {"x": b"ab"}, "deep/x: 3 bytes in the first build and 2 in the second"),
        ({"x": b"", "y": b""}, {"x": b""}, "deep/y: only the first build wrote it"),
        ({"x": b""}, {"x": b"", "y": b""}, "deep/y: only the second build wrote it"),
    ],
)
def test_a_byte_a_length_or_a_file_that_differs_is_named(
    tmp_path: Path, first: dict[str, bytes], second: dict[str, bytes], said: str
) -> None:
    """With the file, and what is there in either build."""
    assert differing(written(tmp_path / "a", **first), written(tmp_path / "b", **second)) == [said]
