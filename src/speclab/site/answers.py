"""What may change between two rebuilds of a preview, told in few words: pages and blocks rest on such answers."""

from __future__ import annotations

import hashlib
import re
import subprocess
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import speclab.site
from speclab.errors import CheckError, InputError
from speclab.evidence.commits import head
from speclab.evidence.register import Register
from speclab.records.reader import run_folders, run_homes
from speclab.site.runs import found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from speclab.site.building import Building
    from speclab.site.kept import Question

SITE = "speclab.site."
_ROOM = re.compile(r"\bspeclab\.site\.\w+\.\w+")


class Answers:
    """Answers by kind of question, for one rebuild."""

    def __init__(self, building: Building) -> None:
        """Of a building."""
        self._building = building
        self._kinds: dict[str, Callable[[str], str]] = {
            "claims": self._claims,
            "code": self._code,
            "module": self._module,
            "package": self._package,
            "run": self._run,
            "said": self._said,
            "value": self._value,
        }

    def __call__(self, question: Question) -> str:
        """The answer; an error that it meets is the answer too."""
        kind, of = question
        try:
            return self._kinds[kind](of)
        except (CheckError, InputError, OSError) as error:
            return str(error)

    def _value(self, address: str) -> str:
        """What an address stands for, and what the wording leans on."""
        register = self._building.register
        # The register's own method: an answer asks nothing.
        value = Register.value(register, address)
        return f"{value!r} {getattr(register.claims.get(address), 'holds', None)}"

    def _claims(self, _: str) -> str:
        """Which claims there are and what each is bound to, whatever they say."""
        entries = self._building.register.claims.values()
        return _digest(repr(each.model_copy(update={"says": "", "holds": None, "format": ""})) for each in entries)

    def _run(self, run_id: str) -> str:
        """A run and its rows, and whether it is fresh: when each file changed that it executed, and the commit."""
        run = found(run_id or None)
        changed = _changed(self._building.root / each for each in run.record.sources)
        return _digest([run.record.model_dump_json(), f"{len(run.results.cells)}", self._head, *changed])

    @cached_property
    def _head(self) -> str:
        try:
            return head(self._building.root)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return ""  # no git here

    def _said(self, _: str) -> str:
        """What was given, discarded, adopted, and is kept."""
        discards = repr(self._building.register.discards)
        folders = [folder.name for folder in run_folders(run_homes(self._building.root)[1])]
        return _digest(
            [discards, *(self._text(f"research/{name}.toml") for name in ("given", "current")), *folders]
        )

    def _code(self, _: str) -> str:
        """The modules that all rooms of the site share, and how the site is put together."""
        shared = [*sorted(_folder().glob("*.py")), *sorted(_folder().glob("*/__init__.py"))]
        return _digest([self._text("mkdocs.yml"), *(path.read_text(encoding="utf-8") for path in shared)])

    def _module(self, module: str) -> str:
        """A module of a room, and those of such rooms that it takes something from."""
        texts: dict[str, str] = {}
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name in texts:
                continue
            file = _folder() / f"{name.removeprefix(SITE).replace('.', '/')}.py"
            texts[name] = file.read_text(encoding="utf-8") if file.is_file() else ""
            waiting += _ROOM.findall(texts[name])
        return _digest(texts[name] for name in sorted(texts))

    def _package(self, room: str) -> str:
        """When each file of a room of the package changed: some pages show code."""
        return _digest(_changed(sorted((_folder().parent / room).rglob("*.py"))))

    def _text(self, name: str) -> str:
        path = self._building.root / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def _folder() -> Path:
    return Path(next(iter(speclab.site.__path__)))


def _changed(files: Iterable[Path]) -> list[str]:
    return [str(path.stat().st_mtime_ns) if path.is_file() else "" for path in files]


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
