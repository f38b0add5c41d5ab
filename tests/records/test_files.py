"""Files are replaced whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from speclab.records.files import require_writable, sha256_of, write_atomic


def test_new_content_replaces_the_old(tmp_path: Path) -> None:
    """Folders are made, text is UTF-8 with plain line ends, others may read it, nothing is left beside it."""
    path = tmp_path / "a" / "b.json"
    write_atomic(path, "old")
    write_atomic(path, "ď\n")
    assert path.read_bytes() == b"\xc4\x8f\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]
    assert sha256_of(path) == hashlib.sha256(b"\xc4\x8f\n").hexdigest()


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.replace"])
def test_old_content_stays_where_a_step_fails(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong before the rename, the old file is whole and no part of the new one is left."""
    path = tmp_path / "x.json"
    write_atomic(path, "old")

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, fail)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, "new")
    monkeypatch.undo()
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_content_is_on_the_disk_before_the_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is synchronised before the rename and the folder after it, so that a power cut finds old or new."""
    steps: list[str] = []
    replace = Path.replace

    def renamed(path: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(path, target)

    monkeypatch.setattr("os.fsync", lambda _: steps.append("sync"))
    monkeypatch.setattr(Path, "replace", renamed)
    write_atomic(tmp_path / "x.json", "new")
    assert steps == ["sync", "rename", "sync"]


def test_a_special_file_or_folder_is_never_replaced(tmp_path: Path) -> None:
    """Neither itself nor through a link; the trial before the work says the same as the write after it."""
    pipe, folder, link = tmp_path / "pipe", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to(pipe)
    for path, told in ((pipe, "not a regular file"), (link, "not a regular file"), (folder, "a directory")):
        for ask in (require_writable, lambda path: write_atomic(path, "new")):
            with pytest.raises(OSError, match=told):
                ask(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [folder, link, pipe]
    assert not list(folder.iterdir())


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_written_through(tmp_path: Path, there: bool) -> None:
    """The link stays one, and the file that it points at, old or still to be made, has the content."""
    target, link = tmp_path / "elsewhere" / "x.json", tmp_path / "link.json"
    target.parent.mkdir()
    if there:
        target.write_text("old", "utf-8")
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text("utf-8") == "new"
    assert list(target.parent.iterdir()) == [target]


def test_the_trial_leaves_nothing_and_fails_without_a_folder(tmp_path: Path) -> None:
    """A file that is there keeps its content, none is made where none is, and a lacking folder is an error."""
    old = tmp_path / "old"
    old.write_text("old", "utf-8")
    require_writable(old)
    require_writable(tmp_path / "new")
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_text("utf-8") == "old"
    with pytest.raises(FileNotFoundError):
        require_writable(tmp_path / "gone" / "new")
    with pytest.raises(NotADirectoryError):
        require_writable(old / "new")
