"""The build that is going on: where the repository is, which page is being read, and the faults met so far.

A fault never passes in silence: a build ends with all of them, each with its page, line and subject; a preview
shows each in its place and goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from speclab.errors import CheckError
from speclab.evidence.register import Register
from speclab.site.escape import escape
from speclab.site.kept import AskedRegister

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.reader import Run
    from speclab.site.kept import Kept
    from speclab.site.preview import Rendered


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and where: a file, a line of it (None where it has none), and the thing it is about."""

    page: str
    line: int | None
    subject: str
    message: str

    def __str__(self) -> str:
        where = self.page if self.line is None else f"{self.page}:{self.line}"
        return f"{where}: {self.subject}: {self.message}"


@dataclass
class Building:
    """One build of the site.

    Attributes:
        root: The repository, found beside `mkdocs.yml` and never by the current folder.
        serving: Whether this is a preview.
        page: The file that is being read, relative to the repository.
        source: Its Markdown.
        printing: The block that is printing into it, by its name there.
        runs: Runs that were read by their id.
        drawn: Figures that were drawn, by name and run.
        kept: Pages and blocks that a preview keeps; None in a build.
        rendered: What rendering left in each page of a preview.
    """

    root: Path
    serving: bool = False
    page: str = ""
    source: str = ""
    faults: list[Fault] = field(default_factory=list)
    printing: str = ""
    runs: dict[str, Run] = field(default_factory=dict)
    drawn: dict[tuple[str, str], str] = field(default_factory=dict)
    kept: Kept | None = None
    rendered: dict[str, Rendered] = field(default_factory=dict)

    @cached_property
    def register(self) -> Register:
        """What `research/` says, read when it is first asked for.

        Raises:
            InputError: When a file of it cannot be read.
        """
        return Register(self.root) if self.kept is None else AskedRegister(self.root, self.kept)

    def ask(self, kind: str, of: str = "") -> None:
        """Note that what is being made rests on the answer to a question; see `speclab.site.answers`."""
        if self.kept is not None:
            self.kept.ask(kind, of)

    def read(self, page: str, source: str) -> None:
        """Note which page is being read from here on."""
        self.page, self.source = page, source

    def report(self, subject: str, message: str) -> str:
        """Note a fault about something on the page that is being read.

        Args:
            subject: A claim's id, a formula, a block; its first line on the page is looked up, or that of the
                block that is printing it.
            message: What is wrong, and what to do.

        Returns:
            HTML that shows the fault in its place.
        """
        if self.kept is not None:
            self.kept.spoil()
        message = message.replace(f"{self.root}/", "")
        fault = Fault(self.page, line_of(self.source, self.printing or subject), subject, message)
        if fault not in self.faults:
            self.faults.append(fault)
        return shown_fault(subject, message)

    def conclude(self) -> None:
        """End a build that met faults.

        Raises:
            CheckError: With every fault, one a line; a preview never raises.
        """
        if self.faults and not self.serving:
            raise CheckError("\n".join(str(each) for each in self.faults))


def shown_fault(subject: str, message: str) -> str:
    """HTML that shows a fault in its place."""
    return f'<strong class="fault" role="alert">{escape(subject)}: {escape(message)}</strong>'


_state: list[Building] = []


def begin(root: Path, *, serving: bool = False) -> Building:
    """Start a build; what was known of the last one is forgotten.

    Args:
        root: The repository.
        serving: Whether this is a preview.
    """
    _state[:] = [Building(root, serving)]
    return _state[0]


def current() -> Building:
    """The build that is going on.

    Raises:
        CheckError: Where there is none.
    """
    if not _state:
        msg = "no build is going on: pages are made by mkdocs, with the plugin `speclab` in mkdocs.yml"
        raise CheckError(msg)
    return _state[0]


def line_of(source: str, subject: str) -> int | None:
    """Number of the first line that holds the subject, from 1."""
    return next((n for n, line in enumerate(source.split("\n"), 1) if subject in line), None)
