"""What version control knows of the files of a run: a commit that holds them, and those that changed one since."""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def commit_with(repository: Path, digests: Mapping[str, str]) -> str | None:
    """The newest commit in which every one of these files has the digest asked for.

    Args:
        repository: A git repository.
        digests: SHA-256 by path in the repository.

    Returns:
        The commit's id, or None where there is none, no git, or no repository.
    """
    if not digests:
        return None
    seen: dict[str, str] = {}
    try:
        # A commit that touched none of these files has them as its parent did.
        for commit in _git(repository, "log", "--all", "--format=%H", "--", *digests).decode().split():
            blobs = _blobs(repository, commit, digests)
            if blobs.keys() == digests.keys() and all(
                _digest(repository, blobs[path], seen) == digest for path, digest in digests.items()
            ):
                return commit
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return None


def commits_since(repository: Path, commit: str, path: str) -> tuple[str, ...]:
    """Short ids of the commits that touched a file since a commit, newest first.

    Raises:
        FileNotFoundError: Without git.
        subprocess.CalledProcessError: Where git does not know that commit.
    """
    listed = _git(repository, "log", "--format=%h", f"{commit}..HEAD", "--", path)
    return tuple(listed.decode().split())


def head(repository: Path) -> str:
    """The commit that is checked out.

    Raises:
        FileNotFoundError: Without git.
        subprocess.CalledProcessError: Where there is no repository, or no commit in it yet.
    """
    return _git(repository, "rev-parse", "HEAD").decode().strip()


def _blobs(repository: Path, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Git's own names of the files of a commit, by path."""
    listed = _git(repository, "ls-tree", "-r", "-z", commit, "--", *paths).decode()
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return {path: about.split()[2] for about, _, path in entries}


def _digest(repository: Path, blob: str, seen: dict[str, str]) -> str:
    if blob not in seen:
        seen[blob] = hashlib.sha256(_git(repository, "cat-file", "blob", blob)).hexdigest()
    return seen[blob]


def _git(repository: Path, *arguments: str) -> bytes:
    # Inside a hook, git's own variables would point to the repository of the hook.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout
