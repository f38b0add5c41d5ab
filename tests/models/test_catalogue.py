"""What the catalogue pins."""

from __future__ import annotations

import re

import pytest

from speclab.errors import InputError
from speclab.models.catalogue import catalogue, entry


def test_pins_every_wheel_by_version_and_digest() -> None:
    """Twenty-nine wheels, no two alike, each with an exact version and a SHA-256."""
    wheels = [wheel for each in catalogue().values() for wheel in each.wheel]
    assert [len(each.wheel) for each in catalogue().values()] == [22, 6, 1]
    assert len({wheel.sha256 for wheel in wheels}) == len({wheel.package for wheel in wheels}) == 29
    for wheel in wheels:
        line = rf"[a-z0-9-]+=={re.escape(wheel.version)} --hash=sha256:[0-9a-f]{{64}}"
        assert re.fullmatch(line, wheel.requirement)


def test_members_follow_in_numeric_order() -> None:
    """Part 10 comes after part 9, not after part 1."""
    for name in ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct"):
        wheels = entry(name).wheel
        for number, wheel in enumerate(wheels, start=1):
            assert wheel.package.endswith(f"-part{number}")
            folder, file = wheel.member.split("/data/")
            assert folder == wheel.package.replace("-", "_")
            assert file == f"part{number:02d}.bin"


def test_the_pair_is_the_official_one() -> None:
    """Sizes, digests and ends of text of the two files that the pair is made of."""
    target, draft = entry("qwen2.5-coder-1.5b-instruct"), entry("qwen2.5-coder-0.5b-instruct")
    assert target.sha256.startswith("cc324af070c2ecbf")
    assert draft.sha256.startswith("1d9614638d18024d")
    assert (target.bytes, draft.bytes) == (1117320768, 491400064)
    assert target.end_of_text == draft.end_of_text == (151645, 151643)
    assert (round(target.parameters / 1e9, 3), round(draft.parameters / 1e9, 3)) == (1.777, 0.630)


def test_unknown_name_lists_the_known_ones() -> None:
    """The message can be acted on."""
    with pytest.raises(InputError, match=r"unknown model 'qwen': .*0\.5b-instruct, smollm2-135m-instruct"):
        entry("qwen")
