"""What a preview keeps of a rebuild, and what makes it draw anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from small_site import RUN, copy_site, replace
from speclab.site import kept as kept_module
from speclab.site import tables
from speclab.site.building import begin, current

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.site.building import Building


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The pages with a simulated run."""
    return copy_site(tmp_path / "site")


def again(building: Building) -> Building:
    """A rebuild of the same preview."""
    return begin(building.root, serving=True, last=building)


def keys(show: Callable[[], str], building: Building) -> set[str]:
    """What is kept once something was shown."""
    show()
    assert building.kept is not None
    return set(building.kept.outputs)


def test_a_build_keeps_nothing(root: Path) -> None:
    """Every page of it is made anew."""
    building = begin(root)
    tables.shares()
    assert building.kept is None


def test_an_output_is_taken_over_and_made_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second rebuild does not compute; what it shows is the same."""
    first = begin(root, serving=True)
    shown = tables.shares(RUN)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("speclab.site.tables.speed.Cells", never)
    second = again(first)
    assert tables.shares(RUN) == shown
    # And a third, of which the first is long forgotten.
    again(second)
    assert tables.shares(RUN) == shown


def test_what_is_not_asked_for_again_is_forgotten(root: Path) -> None:
    """So that a long preview does not fill the memory."""
    first = begin(root, serving=True)
    tables.shares(RUN)
    second = again(first)
    tables.acceptance(RUN)
    third = again(second)
    tables.acceptance(RUN)
    assert third.kept is not None
    assert len(third.kept.outputs) == 1


def test_an_edit_of_the_register_renumbers_what_is_bound_to_it(root: Path) -> None:
    """And leaves the page of a run alone, which is bound to nothing but the run."""
    first = begin(root, serving=True)
    bound, own = keys(tables.shares, first), keys(lambda: tables.shares(RUN), first)
    replace(root / "research" / "register.toml", "# What a pass costs", "# What a pass costs, edited")
    second = again(first)
    assert not keys(tables.shares, second) & bound
    assert keys(lambda: tables.shares(RUN), second) & own


def test_a_changed_source_of_the_run_is_noticed(root: Path) -> None:
    """Its page says whether the run is fresh."""
    source = root / "src/speclab/decoding/loop.py"
    source.parent.mkdir(parents=True)
    source.write_text("x = 1\n", encoding="utf-8")
    first = begin(root, serving=True)
    before = keys(lambda: tables.origin(RUN), first)
    os.utime(source, ns=(1, 1))
    assert not keys(lambda: tables.origin(RUN), again(first)) & before


def test_an_edit_of_its_room_makes_a_block_anew(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module itself, one that it takes from, and what all share; not a neighbour."""
    import shutil

    package = tmp_path / "package"
    shutil.copytree(kept_module._folder(), package / "site")
    monkeypatch.setattr(kept_module, "_folder", lambda: package / "site")

    def key() -> set[str]:
        return keys(lambda: tables.disagreement(RUN), begin(root, serving=True))

    before = key()
    for name, changes in (
        ("tables/margins.py", False),
        ("tables/disagreement.py", True),
        ("tables/distribution.py", True),
        ("html.py", True),
    ):
        file = package / "site" / name
        text = file.read_text(encoding="utf-8")
        file.write_text(f"{text}\n# edited\n", encoding="utf-8")
        assert (key() != before) is changes, name
        file.write_text(text, encoding="utf-8")
    assert key() == before


def test_an_output_with_a_fault_is_not_kept(root: Path) -> None:
    """It is told again at each rebuild, until it is mended."""
    replace(
        root / "research" / "register.toml",
        'id = "share.draft.k4"\n',
        'id = "share.draft.k4"\nholds = "value > 1000"\n',
    )
    first = begin(root, serving=True)
    tables.shares()
    assert first.faults
    again(first)
    tables.shares()
    assert current().faults
