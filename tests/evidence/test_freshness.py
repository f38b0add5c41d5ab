"""A run is fresh while the files that it executed are what they were; a stale one names files and commits."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from small_repository import claim, new_run, small_repository
from speclab.evidence.adopt import adopt
from speclab.evidence.checks import check, stale
from speclab.evidence.freshness import changed_sources
from speclab.records.base import Reading
from speclab.records.files import sha256_of
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.run import RunRecord

LOOP = "src/speclab/decoding/loop.py"


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@e", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def edit(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of one executed file and one other, committed."""
    edit(tmp_path, LOOP, "one\n")
    edit(tmp_path, "docs/index.md", "words\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def record(root: Path, **changes: Any) -> RunRecord:
    """A run that executed the file as it is now."""
    made, _ = synthetic_run()
    here = {
        "sources": {LOOP: sha256_of(root / LOOP)},
        "commit": Reading[str](value=git(root, "rev-parse", "HEAD")),
    }
    return made.model_copy(update=here | changes)


def test_what_was_not_executed_makes_nothing_stale(root: Path) -> None:
    """Words of a page, and a file put back as it was."""
    made = record(root)
    edit(root, "docs/index.md", "other words\n")
    edit(root, LOOP, "two\n")
    edit(root, LOOP, "one\n")
    assert changed_sources(made, root) == ()


def test_a_change_is_named_with_its_commits(root: Path) -> None:
    """Newest first, and an edit that is not committed says so."""
    made = record(root)
    edit(root, LOOP, "two\n")
    [found] = changed_sources(made, root)
    assert str(found) == f"{LOOP} changed (not committed yet)"
    git(root, "commit", "-qam", "second")
    edit(root, LOOP, "three\n")
    git(root, "commit", "-qam", "third")
    short = [git(root, "rev-parse", "--short", name) for name in ("HEAD", "HEAD~1")]
    [found] = changed_sources(made, root)
    assert str(found) == f"{LOOP} changed ({', '.join(short)})"


def test_a_file_that_is_gone_is_named(root: Path) -> None:
    """Whatever took its place."""
    made = record(root)
    git(root, "rm", "-q", LOOP)
    [found] = changed_sources(made, root)
    assert found.gone
    assert str(found).startswith(f"{LOOP} is gone")


@pytest.mark.parametrize("commit", [Reading[str](reason="no git there"), Reading[str](value="0" * 40)])
def test_without_its_commit_the_files_still_tell(root: Path, commit: Reading[str]) -> None:
    """A run made without git, or a clone that does not reach back: the digests decide, commits stay unknown."""
    made = record(root, commit=commit)
    assert changed_sources(made, root) == ()
    edit(root, LOOP, "two\n")
    [found] = changed_sources(made, root)
    assert (found.commits, str(found)) == (None, f"{LOOP} changed")


def test_a_stale_run_fails_only_where_it_is_asked(tmp_path: Path) -> None:
    """`check` passes: an edit of the loop must not cost a run. Publishing asks for more."""
    root = small_repository(tmp_path, claim("c", "cost_ratio"))
    edit(root, LOOP, "one\n")
    new_run(root, "quick-1", sources={LOOP: sha256_of(root / LOOP)})
    adopt("quick-1", root)
    assert (check(root), stale(root)) == ([], [])
    edit(root, LOOP, "two\n")
    assert check(root) == []
    [line] = stale(root)
    assert line == f"research/runs/quick-1: stale: {LOOP} changed; measure the plan quick again"
