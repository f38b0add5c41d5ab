"""The pages as they are written: what is prose, which blocks are executed, and which numbers are asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})\s*(?P<info>.*)$")
_EXECUTED = re.compile(r'python exec="1" html="1" session="(?P<session>[a-z0-9-]+)"')
INLINE_CODE = re.compile(r"(?P<ticks>`+)(?:(?!(?P=ticks)).)+?(?P=ticks)")
MARK = re.compile(r"\[=(?P<address>[^\]\s]*)\]")
"""A number asked for in prose."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the line it starts on, what follows its mark there, its content, and whether it ends."""

    line: int
    info: str
    code: tuple[str, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Use:
    """A number asked for: the page, the line, and the address."""

    page: str
    line: int
    address: str


def front_matter(text: str) -> list[str]:
    """The lines at the top of a page that say its title and such, with the marks around them; else none."""
    lines = text.split("\n")
    return lines[: lines.index("---", 1) + 1] if lines[0] == "---" and "---" in lines[1:] else []


def walk(text: str) -> Iterator[tuple[int, str] | Fence]:
    """A Markdown file from top to bottom, without its front matter.

    Yields:
        Each line outside fences with its number, from 1, and each fence as a whole.
    """
    lines = text.split("\n")
    at = len(front_matter(text))
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None:
            yield at + 1, lines[at]
            at += 1
            continue
        # A longer run of the same mark, alone on its line, closes; an open end runs to the end of the file.
        end = re.compile(rf"^\s*{re.escape(opened['mark'])}{re.escape(opened['mark'][0])}*\s*$")
        close = next((n for n in range(at + 1, len(lines)) if end.match(lines[n])), len(lines))
        yield Fence(at + 1, opened["info"].strip(), tuple(lines[at + 1 : close]), close < len(lines))
        at = close + 1


def uses(page: str, text: str) -> list[Use]:
    """Every number that a page's prose asks for, with its line."""
    return [
        Use(page, each[0], mark["address"])
        for each in walk(text)
        if not isinstance(each, Fence)
        for mark in MARK.finditer(INLINE_CODE.sub("", each[1]))
    ]


def printed_blocks(text: str) -> int:
    """How many blocks of a page print something into it."""
    return sum(line.startswith("print(") for fence in executed(text) for line in fence.code)


def executed(text: str) -> list[Fence]:
    """The blocks of a page that are meant to be executed, well written or not."""
    return [each for each in walk(text) if isinstance(each, Fence) and re.search(r"\bexec\b", each.info)]


def block_faults(page: str, text: str) -> list[str]:
    """What is wrong with a page's executed blocks; such a block would be shown as code, or read again as Markdown.

    Args:
        page: Its path, for the messages.
        text: Its Markdown.
    """
    found = []
    for fence in executed(text):
        where = f"{page}:{fence.line}: executed block"
        match = _EXECUTED.fullmatch(fence.info)
        if match is None:
            found.append(f'{where}: write ```python exec="1" html="1" session="NAME" and nothing else')
        elif match["session"] != page.rsplit("/", 1)[-1].removesuffix(".md"):
            found.append(f"{where}: its session is named after the page, not {match['session']!r}")
        if len(fence.code) != 1:
            found.append(f"{where}: it has {len(fence.code)} lines, and must have one")
    return found


def heading_faults(page: str, text: str) -> list[str]:
    """Headings with a number in them and no anchor of their own: their address would change with each run."""
    return [
        f"{page}:{each[0]}: a heading that holds [=…] names its own anchor, {{#id}}"
        for each in walk(text)
        if not isinstance(each, Fence)
        if re.match(r"#{1,6}\s", each[1]) and MARK.search(each[1]) and not re.search(r"\{\s*#[^}]+\}\s*$", each[1])
    ]


def pages(root: Path) -> dict[str, str]:
    """Every page that is written by hand: its path in the repository, and its Markdown."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((root / "docs").rglob("*.md"))
    }
