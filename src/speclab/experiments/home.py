"""The home folder in what is published: written as `~`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def without_home(text: str) -> str:
    """A text with the home folder as `~`, wherever it stands."""
    home = str(Path.home()).rstrip("/")
    # Not in the middle of a longer name: /home/ann is no part of /home/anne or of /srv/home/ann.
    return re.sub(rf"(?<![\w.~-]){re.escape(home)}(?![\w.-])", "~", text) if home else text


def with_home(text: str) -> str:
    """A path that begins with `~`, in full."""
    return str(Path(text).expanduser()) if text == "~" or text.startswith("~/") else text


def command_line(arguments: Sequence[str]) -> str:
    """A command as it may be published and typed again, without the path of the program."""
    program, *rest = arguments
    return " ".join([Path(program).name, *(_quoted(without_home(each)) for each in rest)])


def _quoted(word: str) -> str:
    """Quoted for a shell, the home folder outside the quotes so that the shell still expands it."""
    return "~/" + shlex.quote(word[2:]) if word.startswith("~/") and len(word) > 2 else shlex.quote(word)
