"""The files outside the site that hold its numbers: written from the register, and compared with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from small_site import HERE, copy_site, lean, replace
from speclab.errors import CheckError
from speclab.evidence.register import Register
from speclab.records.files import write_atomic
from speclab.site.numerals import findings
from speclab.site.written import README, REGISTER, outdated, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The real pages with simulated runs, both files written."""
    copied = copy_site(tmp_path / "site")
    for path, text in written(copied).items():
        write_atomic(copied / path, text)
    return copied


def test_the_repository_s_own_are_current() -> None:
    """What a reader of the README sees is what the runs say."""
    assert outdated(HERE) == []


def test_both_say_what_the_register_says(root: Path) -> None:
    """The README's numbers as the pages show them; a line of the register for each claim, with its interval."""
    assert outdated(root) == []
    register = Register(root)
    shown = (root / README).read_text("utf-8")
    here = [register.show(f"speed.{kind}.k4") for kind in ("copying", "prose")]
    assert f"it ran {here[0]} and {here[1]} times as fast" in " ".join(shown.split())
    text = (root / REGISTER).read_text("utf-8")
    for claim in register.claims:
        assert f"- `{claim}` **{register.show(claim)}**: " in text
    assert "95 % interval" in text
    assert "## Discarded runs\n\nNone so far." in text


def test_a_new_number_makes_both_outdated(root: Path) -> None:
    """Each file is named with the command that writes it; writing once more changes nothing."""
    register = root / "research" / "register.toml"
    before, name, after = register.read_text("utf-8").partition('id = "speed.copying.k4"')
    register.write_text(before + name + after.replace('".2f"', '".3f"', 1), encoding="utf-8")
    assert [line.split(" ")[0] for line in outdated(root)] == [REGISTER, README]
    assert "nox -s docs -- --write" in outdated(root)[0]
    for path, text in written(root).items():
        write_atomic(root / path, text)
    assert outdated(root) == []


def test_an_edit_by_hand_is_found(root: Path) -> None:
    """In either file, and a file that is missing."""
    replace(root / README, "The same two models", "The same three models")
    # The template says otherwise too now; the block does not follow it.
    replace(root / README, "<!-- /numbers -->", "and more\n<!-- /numbers -->")
    (root / REGISTER).unlink()
    assert [line.split(" ")[0] for line in outdated(root)] == [REGISTER, README]


def test_a_wording_that_no_longer_holds_is_not_written(root: Path) -> None:
    """The README leans on its numbers like any page."""
    lean(root, "speed.copying.k4", "value > 1000")
    with pytest.raises(CheckError, match="no longer holds"):
        written(root)


def test_numbers_that_were_written_are_not_typed_in(root: Path) -> None:
    """What the command filled in passes the lint; what a person types beside it does not."""
    assert findings(root) == []
    replace(root / README, "## Two commands", "It is 1.7 times as fast.\n\n## Two commands")
    [found] = findings(root)
    line = (root / README).read_text("utf-8").split("\n").index("It is 1.7 times as fast.") + 1
    assert found.startswith(f"README.md:{line}: '1.7 times' is typed in")
