"""Files are replaced whole or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from speclab.records.files import sha256_of, write_atomic


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
