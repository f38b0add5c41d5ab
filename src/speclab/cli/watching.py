"""A run on the terminal: a bar with the time left, or a line now and then where nobody looks at a terminal."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from speclab.cli.output import stderr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.experiments.watch import Watch

SECONDS_BETWEEN_LINES = 30.0
SECONDS_BETWEEN_SHARES = 10.0


@contextmanager
def watching() -> Iterator[Watch]:
    """Show a run on stderr."""
    if not stderr.is_terminal:
        yield Lines()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=stderr, transient=True) as bar:
        yield Bar(bar)


class Lines:
    """One line every half minute."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def say(self, message: str) -> None:
        """One plain line."""
        stderr.print(Text(message), soft_wrap=True)

    def step(self, done: int, total: int, cell: str, seconds_left: float) -> None:
        """A cell was saved."""
        now = time.monotonic()
        if now - self._said >= SECONDS_BETWEEN_LINES or done == total:
            self._said = now
            self.say(f"{done} of {total} cells, {left(seconds_left)}: {cell}")


class Bar:
    """A bar, and lines above it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("measuring", total=None, left="", visible=False)

    def say(self, message: str) -> None:
        """One plain line."""
        self._bar.console.print(Text(message), soft_wrap=True)

    def step(self, done: int, total: int, cell: str, seconds_left: float) -> None:
        """A cell was saved."""
        self._bar.update(
            self._task, completed=done, total=total, description=cell, left=left(seconds_left), visible=True
        )


def left(seconds: float) -> str:
    """Time left as a person says it; seconds would pretend to know."""
    if seconds < 60:
        return "less than a minute left"
    return f"about {seconds / 60:.0f} min left"


class Downloads:
    """Tells how far a download is, a line a stage and a share every few seconds; a `Report`."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._what = ""
        self._said = 0.0

    def __call__(self, what: str, done: int, total: int, /) -> None:
        """One moment of the work."""
        now = time.monotonic()
        if what == self._what and now - self._said < SECONDS_BETWEEN_SHARES:
            return
        self._what, self._said = what, now
        self._watch.say(f"{what}, {done / total:.0%} of {total / 1e6:.0f} MB" if total else what)
