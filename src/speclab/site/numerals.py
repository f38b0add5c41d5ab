"""Refuse numbers that were typed into prose: each must come from a run, a plan or a file, through `[=…]`.

Read are the pages and the README, alternative texts and titles included. Code, mathematics, addresses, cardinals
up to ten and years pass; versions, identifiers and licence names are written as code.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNITS = (
    r"×|x\b|%|‰|°C|ns\b|µs\b|us\b|ms\b|s\b|min\b|h\b|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?"
    r"|[kKMGT]i?B\b|bytes?|bits?|tokens?/s|[kMG]Hz|W\b|times\b|-?fold\b|per ?cent|points?\b|billion|million|thousand"
)
_NUMBER = re.compile(rf"(?<![\w.,])[-+−~]?(?P<digits>\d[\d.,  ]*\d|\.?\d+)(?P<unit>[  ]?-?(?:{_UNITS}))?(?!\w)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FENCE = re.compile(r"^\s{0,3}(?P<mark>`{3,}|~{3,})")
# What is no prose, in the order in which it is taken out. Alternative texts and titles stay.
_NOT_PROSE = (
    re.compile(r"(?P<ticks>`+)(?:(?!(?P=ticks)).)+?(?P=ticks)"),
    re.compile(r"\$\$.+?\$\$|(?<![\\\w])\$[^$\s](?:[^$]*[^$\s])?\$"),
    re.compile(r"\[=[^\]\s]*\]"),
    re.compile(r"(?<=\])\([^()\s\"]*(?:\([^()]*\))?[^()\s\"]*"),
    re.compile(r"^\[[^\]]+\]:\s+\S+"),
    re.compile(r"<?https?://[^\s>)]+>?"),
    re.compile(r"\{[:#.][^}]*\}"),
    re.compile(r"\s(?:id|class|href|src|style|width|height|session|data-[a-z-]+)=\"[^\"]*\""),
    re.compile(r"^\s*\d+[.)]\s"),
    re.compile(r"&#?\w+;"),
)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown file with everything that is no prose taken out.

    Yields:
        The number of the line, from 1, and what is left of it.
    """
    fence, hidden = "", ""
    lines = text.split("\n")
    for number, raw in enumerate(lines, 1):
        if number == 1 and raw == "---":
            hidden = "---"
            continue
        if hidden:
            hidden, line = _reveal(raw, hidden)
        else:
            line = raw
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark["mark"]
            elif mark["mark"].startswith(fence):
                fence = ""
            continue
        if fence:
            continue
        for pattern in _NOT_PROSE:
            line = pattern.sub(" ", line)
        for opened, closed in (("<!--", "-->"), ("$$", "$$")):
            before, found, after = line.partition(opened)
            if found:
                hidden, rest = _reveal(after, closed)
                line = before + rest
        yield number, line


def _reveal(line: str, end: str) -> tuple[str, str]:
    """What still hides the text after this line, and the part of the line that is seen."""
    if end == "---":
        return ("", "") if line == end else (end, "")
    _, found, after = line.partition(end)
    return ("", after) if found else (end, "")


def typed(line: str) -> list[str]:
    """The numbers in a line of prose that should have been bound."""
    found = []
    for match in _NUMBER.finditer(line):
        digits = match["digits"]
        plain = digits.isdigit() and (int(digits) <= 10 or _YEAR.fullmatch(digits) is not None)
        if match["unit"] or not plain:
            found.append(match[0].strip())
    return found


def findings(root: Path) -> list[str]:
    """Every typed-in number of a repository's pages and README.

    Args:
        root: The repository.

    Returns:
        One line a number: the file, the line, the number and what to do.
    """
    pages = sorted((root / "docs").rglob("*.md"))
    return [
        f"{path.relative_to(root).as_posix()}:{number}: {each!r} is typed in: bind it with [=…], or write it as code"
        for path in [root / "README.md", *pages]
        if path.is_file()
        for number, line in prose(path.read_text("utf-8"))
        for each in typed(line)
    ]


def main() -> None:
    """Lint the repository in the current folder; exit 1 where a number was typed in."""
    found = findings(Path.cwd())
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
