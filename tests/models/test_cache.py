"""The cache folder, its lock, and the place to work."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from speclab.errors import InputError
from speclab.models.cache import cache_folder, install, model_folder, require_space, workspace
from speclab.models.report import silent


class Usage(NamedTuple):
    """What the system tells of a disk."""

    total: int
    used: int
    free: int


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The variable of our own first, then the platform's folder."""
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("SPECLAB_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "speclab"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "speclab"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "speclab"


def test_the_workspace_is_gone_however_it_ends() -> None:
    """In order, or with an error."""
    with workspace("small", silent) as folder:
        (folder / "part").write_bytes(b"1")
    assert not folder.exists()
    with pytest.raises(IsADirectoryError), workspace("small", silent) as folder:
        folder.read_bytes()
    assert not folder.exists()


def test_what_a_killed_process_left_is_removed() -> None:
    """A killed process drops the lock and leaves its files."""
    left = cache_folder() / "work" / "small"
    left.mkdir(parents=True)
    (left / "part").write_bytes(b"1")
    with workspace("small", silent) as folder:
        assert list(folder.iterdir()) == []


def test_two_at_once_are_kept_apart() -> None:
    """The second waits, says so, and then finds an empty folder; another model has another lock."""
    told: list[str] = []
    waiting, seen = threading.Event(), list[bool]()

    def tell(what: str, _: int, __: int, /) -> None:
        told.append(what)
        waiting.set()

    def second() -> None:
        with workspace("small", tell) as folder:
            seen.append((folder / "part").exists())

    with workspace("small", silent) as folder, workspace("other", silent):
        (folder / "part").write_bytes(b"1")
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        assert (folder / "part").exists()
        assert seen == []
    thread.join(10)
    assert seen == [False]
    assert told == ["small: another process is at work on it, waiting"]


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One line that names the variable to set."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("SPECLAB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match=r"cannot be written .*set SPECLAB_CACHE"), workspace("small", silent):
        pass


def test_install_takes_the_place_of_a_damaged_folder() -> None:
    """The new folder stands there whole, the old one goes with the workspace."""
    place = model_folder("small")
    place.mkdir(parents=True)
    (place / "old").write_bytes(b"1")
    with workspace("small", silent) as folder:
        (folder / "model").mkdir()
        (folder / "model" / "new").write_bytes(b"2")
        assert install(folder / "model", "small") == place
    assert [path.name for path in place.iterdir()] == ["new"]
    assert [path.name for path in place.parent.iterdir()] == ["small"]


def test_no_disk_space_is_refused_before_anything_is_written(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Both amounts are named; the folder need not exist yet."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 10**12 - 10**9, 10**9))
    require_space(5 * 10**8, "small")
    with pytest.raises(InputError, match=r"no disk space for small: it needs 2\.1 GB in .*where 1\.0 GB are free"):
        require_space(2 * 10**9, "small")
    assert not cache.exists()
