"""What a preview keeps over its rebuilds, and what makes it anew."""

from __future__ import annotations

import gc
import os
import shutil
import weakref
from typing import TYPE_CHECKING

import pytest

from small_site import RUN, copy_site, replace
from speclab.site import answers, listings, tables
from speclab.site.building import begin, current
from speclab.site.preview import keep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.site.building import Building
    from speclab.site.kept import Made

REGISTER = "research/register.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The pages with a simulated run."""
    return copy_site(tmp_path / "site")


def rebuild(root: Path, last: Building | None = None) -> Building:
    """The first build of a preview, or one after another."""
    building = begin(root, serving=True)
    keep(building, last)
    return building


def made(show: Callable[[], str], building: Building, name: str = "") -> Made:
    """What is kept once something was shown: of that name, or the first."""
    show()
    assert building.kept is not None
    return building.kept.made[name or next(iter(building.kept.made))]


def anew(root: Path, show: Callable[[], str], edit: Callable[[], object]) -> bool:
    """Whether something is made anew after an edit."""
    first = rebuild(root)
    before = made(show, first)
    edit()
    return made(show, rebuild(root, first)) is not before


def test_a_build_keeps_nothing(root: Path) -> None:
    """Every page of it is made anew."""
    building = begin(root)
    tables.shares()
    assert building.kept is None


def test_an_output_is_taken_over_and_made_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second rebuild does not compute; what it shows is the same."""
    first = rebuild(root)
    shown = tables.shares(RUN)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("speclab.site.tables.speed.Cells", never)
    second = rebuild(root, first)
    assert tables.shares(RUN) == shown
    # And a third, of which the first is long forgotten.
    rebuild(root, second)
    assert tables.shares(RUN) == shown


def test_what_is_not_asked_for_again_is_forgotten(root: Path) -> None:
    """So that a long preview does not fill the memory."""
    first = rebuild(root)
    tables.shares(RUN)
    second = rebuild(root, first)
    tables.acceptance(RUN)
    third = rebuild(root, second)
    tables.acceptance(RUN)
    assert third.kept is not None
    assert len(third.kept.made) == 1


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("# What a pass costs", "# What a pass costs, edited", False),
        ("that goes into the target's passes at k = 4", "that checks take at k = 4", True),
        ('id = "share.verify.k4"', 'id = "share.verify.other"', True),
        ("cost ratio c: ", "cost ratio c, edited: ", False),
    ],
)
def test_an_edit_of_the_register_renumbers_what_shows_the_number(
    root: Path, old: str, new: str, changes: bool
) -> None:
    """And nothing else: a table is made anew where a number of its own changed, or which claims there are."""
    assert anew(root, tables.shares, lambda: replace(root / REGISTER, old, new)) is changes


def test_the_page_of_a_run_is_bound_to_nothing_but_the_run(root: Path) -> None:
    """An edit of the register leaves it alone."""

    def edit() -> None:
        replace(root / REGISTER, 'id = "share.verify.k4"', 'id = "share.verify.other"')

    assert not anew(root, lambda: tables.shares(RUN), edit)


def test_what_is_made_of_parts_rests_on_what_they_asked(root: Path) -> None:
    """A page that took a kept block over is made anew with it."""

    def page() -> str:
        kept = current().kept
        assert kept is not None
        return kept.get("page", tables.shares)

    first = rebuild(root)
    tables.shares()
    whole = made(page, first, "page")
    assert ("value", "share.verify.k4") in whole.asked
    assert made(page, second := rebuild(root, first), "page") is whole
    replace(root / REGISTER, "that goes into the target's passes at k = 4", "that checks take at k = 4")
    assert made(page, rebuild(root, second), "page") is not whole


def test_the_parts_of_what_is_taken_over_are_kept_with_it(root: Path) -> None:
    """When the whole is made anew at last, only what changed of it is."""

    def page(edited: str = "") -> Callable[[], str]:
        kept = current().kept
        assert kept is not None
        return lambda: kept.get(f"page{edited}", lambda: tables.shares(RUN) + edited)

    first = rebuild(root)
    page()()
    assert first.kept is not None
    part = first.kept.made[f"tables.shares {RUN}"]
    second = rebuild(root, first)
    page()()
    third = rebuild(root, second)
    page(", edited")()
    assert third.kept is not None
    assert third.kept.made[f"tables.shares {RUN}"] is part


def test_a_changed_source_of_the_run_is_noticed(root: Path) -> None:
    """Its page says whether the run is fresh."""
    source = root / "src/speclab/decoding/loop.py"
    source.parent.mkdir(parents=True)
    source.write_text("x = 1\n", encoding="utf-8")
    assert anew(root, lambda: tables.origin(RUN), lambda: os.utime(source, ns=(1, 1)))


@pytest.mark.parametrize(
    ("show", "name", "changes"),
    [
        (lambda: tables.disagreement(RUN), "site/tables/margins.py", False),
        (lambda: tables.disagreement(RUN), "site/tables/disagreement.py", True),
        (lambda: tables.disagreement(RUN), "site/tables/distribution.py", True),
        (lambda: tables.disagreement(RUN), "site/html.py", True),
        (lambda: tables.disagreement(RUN), "site/figures/__init__.py", True),
        (listings.loop, "site/tables/disagreement.py", False),
        (listings.loop, "decoding/loop.py", True),
    ],
)
def test_an_edit_of_its_room_makes_a_block_anew(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Callable[[], str], name: str, changes: bool
) -> None:
    """The module itself, one that it takes from, what all share, and the code that it lists; not a neighbour."""
    package = tmp_path / "package"
    for room in ("site", "decoding"):
        shutil.copytree(answers._folder().parent / room, package / room)
    monkeypatch.setattr(answers, "_folder", lambda: package / "site")

    def edit() -> None:
        file = package / name
        file.write_text(f"{file.read_text(encoding='utf-8')}\n# edited\n", encoding="utf-8")

    assert anew(root, show, edit) is changes


def test_an_output_with_a_fault_is_not_kept(root: Path) -> None:
    """It is told again at each rebuild, until it is mended."""
    replace(
        root / REGISTER,
        'id = "share.draft.k4"\n',
        'id = "share.draft.k4"\nholds = "value > 1000"\n',
    )
    first = rebuild(root)
    tables.shares()
    assert first.faults
    rebuild(root, first)
    tables.shares()
    assert current().faults


def test_what_went_wrong_inside_is_made_again(root: Path) -> None:
    """Also where what it is part of swallows the error, as a page does that shows a traceback."""
    broken = True

    def part() -> str:
        if broken:
            raise NameError
        return "whole"

    def page() -> str:
        kept = current().kept
        assert kept is not None

        def swallowing() -> str:
            try:
                return kept.get("part", part)
            except NameError:
                return "a traceback"

        return kept.get("page", swallowing)

    first = rebuild(root)
    assert page() == "a traceback"
    broken = False
    rebuild(root, first)
    assert page() == "whole"


def test_a_module_that_is_gone_is_an_answer_too(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renamed room must not end the preview."""
    package = tmp_path / "package" / "site"
    shutil.copytree(answers._folder(), package)
    monkeypatch.setattr(answers, "_folder", lambda: package)
    assert anew(root, lambda: tables.disagreement(RUN), (package / "tables" / "disagreement.py").unlink)


def test_a_discard_is_seen_however_it_is_written(root: Path) -> None:
    """TOML allows spaces within the brackets."""
    file = root / REGISTER

    def discard(reason: str) -> None:
        text = file.read_text(encoding="utf-8").partition("\n[[ discard ]]")[0]
        file.write_text(f'{text}\n[[ discard ]]\nrun = "other-1"\nreason = "{reason}"\n', encoding="utf-8")

    discard("one")
    assert anew(root, lambda: tables.notice(RUN), lambda: discard("another"))


def test_a_long_preview_holds_one_rebuild(root: Path) -> None:
    """What the one before it made and nobody took over is let go."""
    first = rebuild(root)
    tables.shares(RUN)
    second = rebuild(root, first)
    assert second.kept is not None
    second.kept.close()
    gone = weakref.ref(first.kept.made[f"tables.shares {RUN}"]) if first.kept else None
    del first
    gc.collect()
    assert gone is not None
    assert gone() is None
