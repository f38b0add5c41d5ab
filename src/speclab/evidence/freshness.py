"""Whether the code that a run executed is still the code that is here."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.evidence.commits import commits_since
from speclab.records.files import sha256_of

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.run import RunRecord


@dataclass(frozen=True, slots=True)
class ChangedSource:
    """A file that is not what a run executed.

    Attributes:
        path: In the repository.
        gone: Whether it is no longer there.
        commits: Those that touched it since the run's own, newest first; None where that cannot be told.
    """

    path: str
    gone: bool
    commits: tuple[str, ...] | None

    def __str__(self) -> str:
        what = f"{self.path} {'is gone' if self.gone else 'changed'}"
        if self.commits is None:
            return what
        return f"{what} ({', '.join(self.commits) or 'not committed yet'})"


def changed_sources(record: RunRecord, repository: Path) -> tuple[ChangedSource, ...]:
    """The files that a run executed or read and that are another now; none where the run is fresh.

    Args:
        record: With the digest of every file that its numbers can depend on.
        repository: Where those files lie.
    """
    found = []
    for path, digest in sorted(record.sources.items()):
        file = repository / path
        gone = not file.is_file()
        if gone or sha256_of(file) != digest:
            found.append(ChangedSource(path, gone, _commits(repository, record, path)))
    return tuple(found)


def _commits(repository: Path, record: RunRecord, path: str) -> tuple[str, ...] | None:
    if record.commit.value is None:
        return None
    try:
        return commits_since(repository, record.commit.value, path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None  # no git here, or a clone that does not reach back so far
