"""What blocks printed, kept over the rebuilds of a preview for as long as nothing that it was made from changed.

A build that is not a preview keeps nothing: every page is made anew.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import speclab.site
from speclab.records.reader import run_folders, run_homes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from speclab.records.reader import Run

SITE = "speclab.site."
_ROOM = re.compile(r"^from (speclab\.site\.\w+\.\w+) import", re.MULTILINE)


@dataclass
class Kept:
    """The outputs of one rebuild, and those of the one before.

    Attributes:
        root: The repository.
        before: Output by key, of the rebuild before; what is asked for again is taken over.
        outputs: Of this one.
    """

    root: Path
    before: Mapping[str, str]
    outputs: dict[str, str] = field(default_factory=dict)

    def get(
        self,
        block: str,
        module: str,
        run: Run | None,
        *,
        bound: bool,
        make: Callable[[], str],
        faults: Sequence[object],
    ) -> str:
        """An output, made only where it is not there already.

        Args:
            block: Name of the block.
            module: In which it is written.
            run: That it shows; None where it shows none.
            bound: Whether its numbers are bound to the register, so that they change with it.
            make: Makes it.
            faults: Those of the build so far; where making it adds one, it is not kept.
        """
        own = self._package if run is None else [run.record.model_dump_json(), *self._sources(run)]
        told = self._register if bound else self._said
        key = _digest([block, *own, told, self._code, *self._room(module)])
        for outputs in (self.outputs, self.before):
            if key in outputs:
                self.outputs[key] = outputs[key]
                return outputs[key]
        count = len(faults)
        made = make()
        if len(faults) == count:
            self.outputs[key] = made
        return made

    def _sources(self, run: Run) -> list[str]:
        """When each file changed that the run executed: its page says whether it is fresh."""
        return _changed(self.root / path for path in run.record.sources)

    @cached_property
    def _package(self) -> list[str]:
        """When each file of the package changed: what shows no run may show code."""
        return _changed(sorted(_folder().parent.rglob("*.py")))

    @cached_property
    def _said(self) -> str:
        """What a run's own page says that is not in the run: what was given, discarded, adopted, and is kept."""
        register = self._text("research/register.toml")
        discards = register[register.find("[[discard]]") :] if "[[discard]]" in register else ""
        _, home = run_homes(self.root)
        folders = [folder.name for folder in run_folders(home)]
        files = (self._text(f"research/{name}.toml") for name in ("given", "current"))
        return _digest([discards, *files, *folders])

    @cached_property
    def _register(self) -> str:
        files = sorted((self.root / "research").rglob("*.toml"))
        return _digest([self._said, *(path.read_text(encoding="utf-8") for path in files)])

    @cached_property
    def _code(self) -> str:
        """The modules that all rooms share."""
        here = _folder()
        return _digest(path.read_text(encoding="utf-8") for path in sorted(here.glob("*.py")))

    def _room(self, module: str) -> list[str]:
        """The module that a block is written in, and those of such rooms that it takes something from."""
        texts: dict[str, str] = {}
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name in texts:
                continue
            file = _folder() / f"{name.removeprefix(SITE).replace('.', '/')}.py"
            texts[name] = file.read_text(encoding="utf-8")
            waiting += _ROOM.findall(texts[name])
        return [texts[name] for name in sorted(texts)]

    def _text(self, name: str) -> str:
        path = self.root / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def _folder() -> Path:
    return Path(next(iter(speclab.site.__path__)))


def _changed(files: Iterable[Path]) -> list[str]:
    return [str(path.stat().st_mtime_ns) if path.is_file() else "" for path in files]


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
