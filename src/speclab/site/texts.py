"""Every text that is written for readers: pages, the README, prose of notebooks, words of figures and tables."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTEBOOKS = ("docs", "notebooks", "research")
"""Where notebooks can lie."""
PRINTED = tuple(f"src/speclab/site/{room}" for room in ("figures", "interactive", "pages", "tables"))
"""Code whose strings are captions, columns, labels, notes, descriptions, and pages that nobody writes."""
SAID = (
    ("research/register.toml", re.compile(r'says = "(.*)"')),
    ("research/given.toml", re.compile(r'(?:says|reason) = "(.*)"')),
    ("mkdocs.yml", re.compile(r"\s*- (.*): \S+\.(?:md|ipynb)")),
)
"""Files whose values are shown beside numbers or as titles, and the lines that hold them."""
_FORMAT = re.compile(r",?\.\d[f%e](?: \S+)?|#[0-9a-f]{6}")
"""Strings for no reader: the format of a number, a colour."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in Markdown.

    Attributes:
        file: Where it stands, relative to the repository; for a notebook with the cell.
        line: Number of its first line there.
        text: As it was written.
    """

    file: str
    line: int
    text: str


def texts(root: Path) -> Iterator[Text]:
    """All of them in a repository.

    Raises:
        InputError: When a notebook cannot be read.
    """
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if path.is_file():
            yield Text(path.relative_to(root).as_posix(), 1, path.read_text(encoding="utf-8"))
    for room in NOTEBOOKS:
        for path in sorted((root / room).rglob("*.ipynb")):
            if ".ipynb_checkpoints" not in path.parts:
                yield from _cells(path.relative_to(root).as_posix(), path)
    yield from _values(root)
    for room in PRINTED:
        for path in sorted((root / room).rglob("*.py")):
            yield from _strings(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def _values(root: Path) -> Iterator[Text]:
    """What is said of each number, its reason, and the titles of the navigation: all of it is shown."""
    for file, key in SAID:
        path = root / file
        if path.is_file():
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                if match := key.fullmatch(line):
                    yield Text(file, number, match[1])


def _cells(name: str, path: Path) -> Iterator[Text]:
    """The prose of a notebook; its code and what that printed are no prose."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        # A source is a text, or a list of its lines.
        prose = [
            (n, "".join(cell["source"])) for n, cell in enumerate(cells, 1) if cell["cell_type"] == "markdown"
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        msg = f"{name} is not a notebook ({type(error).__name__}: {error}): save it again from Jupyter"
        raise InputError(msg) from None
    for number, source in prose:
        yield Text(f"{name}, cell {number}", 1, source)


def _strings(name: str, code: str) -> Iterator[Text]:
    """The strings of a module, but for docstrings and formats."""
    tree = ast.parse(code)
    # A string that is a statement of its own is a docstring.
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            silent |= {id(each) for each in ast.walk(node.format_spec)}
    found = [
        Text(name, node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
    ]
    yield from sorted((each for each in found if not _FORMAT.fullmatch(each.text)), key=lambda each: each.line)
