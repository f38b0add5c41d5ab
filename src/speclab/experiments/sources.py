"""What the numbers of a run can depend on: the files that were executed, the packages, the commit."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import speclab
from speclab.errors import InputError
from speclab.experiments.imports import executed_files
from speclab.records.base import Reading
from speclab.records.files import sha256_of
from speclab.records.same import differing

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = Path(speclab.__file__).parent
PACKAGES = ("numpy", "safetensors", "scipy", "tokenizers", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Sources:
    """The state of everything that was executed.

    Attributes:
        digests: SHA-256 by path in the repository.
        commit: What version control calls this state, or why it cannot tell.
        dirty: Whether one of these files differs from that commit.
        packages: Versions by name.
    """

    digests: dict[str, str]
    commit: Reading[str]
    dirty: Reading[bool]
    packages: dict[str, str]

    @classmethod
    def take(
        cls, repository: Path, inputs: Sequence[Path], modules: Sequence[str], package: Path = PACKAGE
    ) -> Sources:
        """Digest the code that runs and what it reads.

        Args:
            repository: Where the plans lie.
            inputs: The plan and the prompt files.
            modules: Where the execution starts.
            package: The folder that `speclab` was imported from.
        """
        code = executed_files(package, modules)
        digests = {f"src/speclab/{path.relative_to(package).as_posix()}": sha256_of(path) for path in code}
        digests |= {_name(path, repository): sha256_of(path) for path in inputs}
        inside = [path for path in inputs if path.resolve().is_relative_to(repository)]
        commit, dirty = _version_control(repository, package, [*code, *inside])
        return cls(digests, commit, dirty, packages())

    def require_same(self, digests: dict[str, str], packages: dict[str, str]) -> None:
        """Refuse to go on with a run that other code began.

        Raises:
            InputError: Names one thing that changed.
        """
        for what, before, now in (("file", digests, self.digests), ("package", packages, self.packages)):
            changed = differing(before, now)
            if changed:
                msg = (
                    f"the {what} {changed} changed since this run began, and a run holds the work of "
                    "one state of the code: put it back, or start anew without --resume"
                )
                raise InputError(msg)


def packages() -> dict[str, str]:
    """Versions of the packages that compute, of those that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _name(path: Path, repository: Path) -> str:
    """Path in the repository; of a file elsewhere its name alone, since the rest is a person's own affair."""
    path = path.resolve()
    return path.relative_to(repository).as_posix() if path.is_relative_to(repository) else path.name


def _version_control(repository: Path, package: Path, files: Sequence[Path]) -> tuple[Reading[str], Reading[bool]]:
    if not package.resolve().is_relative_to(repository.resolve()):
        reason = "the package that ran does not lie in the repository of the plan"
        return Reading[str](reason=reason), Reading[bool](reason=reason)
    watched = [str(path) for path in files]
    try:
        commit = _git(repository, "rev-parse", "HEAD")
        changed = _git(repository, "status", "--porcelain", "--untracked-files=all", "--", *watched)
    except FileNotFoundError:
        reason = "git is not installed"
    except subprocess.TimeoutExpired:
        reason = "git did not answer"
    except subprocess.CalledProcessError:
        reason = "there is no git repository here that git will read"
    else:
        return Reading[str](value=commit), Reading[bool](value=bool(changed))
    return Reading[str](reason=reason), Reading[bool](reason=reason)


def _git(folder: Path, *arguments: str) -> str:
    # Inside a hook, git's own variables would point to the repository of the hook.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    return done.stdout.strip()
