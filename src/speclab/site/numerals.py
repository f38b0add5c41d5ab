"""Refuse numbers that were typed into prose: each must come from a run, a plan or a file, through `[=…]`.

Read are the pages, their titles in the navigation, the README, the prose of notebooks, what figures and tables
say, and what the register says of its numbers, with alternative texts and titles. Code, mathematics, addresses,
cardinals up to ten and years pass; versions, identifiers and licence names are written as code.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from speclab.errors import InputError
from speclab.site.gate import finish
from speclab.site.sources import INLINE_CODE, MARK, Fence, front_matter, walk
from speclab.site.texts import texts
from speclab.site.written import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

# Behind a digit and a space or hyphen; letters right behind a digit are a unit anyway.
_UNITS = (
    r"[×%‰]|°C|x\b|[nµμum]?s\b|m?secs?\b|min\b|h\b|(?:nano|micro|milli)?seconds?|minutes?|hours?|days?\b"
    r"|[kKMGT]?i?[Bb]\b|[kMG]bit|bytes?|bits?|tok(?:en)?s?(?:/s| (?:per|a|each) second)|[kMGT]?FLOPS?\b"
    r"|[kMG]Hz|[kKMG]?W\b|times\b|fold\b|per ?cent|points?\b|[bm]illions?|thousands?"
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<factor>[×÷]\s?)?[-+−~]?(?P<digits>\d{{1,3}}(?:[,\u00a0\u202f]\d{{3}})+(?:\.\d+)?|\d+[.,]\d+|\.?\d+)"
    rf"(?P<unit>[\s\u00a0\u202f-]?(?:{_UNITS})|(?!st|nd|rd|th)[^\W\d]+)?"
)
_FRACTION = re.compile(r"[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|(?<![\w/.])\d+\s?[/\u2044]\s?\d+(?![\w/])")
# Lengths of a context such as 2048 are none, nor are counts.
_YEAR = re.compile(r"19\d\d|20[0-3]\d")
_COUNTED = re.compile(
    r"[\s\u00a0\u202f](?:tokens?|prompts?|draws?|runs?|texts?|blocks?|steps?|passes|iterations?|contexts?|positions?"
    r"|seeds?|rows?|cycles?|words?|samples?|parameters|tests?)\b"
)
# What may stand behind the mark of a fence: a language, then options or attributes.
_INFO = re.compile(r"[\w.+#-]*(?:\s+[\w-]+=\"[^\"]*\")*|\{[^}]*\}")
_TITLE = re.compile(r"title=\"([^\"]*)\"")
# What is no prose, in the order in which it is taken out. Alternative texts and titles stay.
_NOT_PROSE = (
    INLINE_CODE,
    re.compile(r"\$\$.+?\$\$|(?<![\\\w])\$[^$\s](?:[^$]*[^$\s])?\$"),
    MARK,
    re.compile(r"(?<=\])\([^()\s\"]*(?:\([^()]*\))?[^()\s\"]*"),
    re.compile(r"^\[[^\]]+\]:\s+\S+"),
    re.compile(r"<?https?://[^\s>)]+>?"),
    re.compile(r"<code>.*?</code>"),
    re.compile(r"(?<=[{\s:])[#.][\w.:-]+(?=[^{}]*\})"),
    re.compile(r"\s(?:id|class|href|src|style|width|height|session|data-[a-z-]+)=\"[^\"]*\""),
    re.compile(r"^\s*\d+[.)]\s"),
    re.compile(r"&#?\w+;"),
)


def prose(text: str, *, whole: bool = True) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown text with everything that is no prose taken out.

    Args:
        text: In Markdown.
        whole: Whether it is a page; false where it is a piece of one, which may open what another piece closes.

    Yields:
        The number of the line, from 1, and what is left of it.

    Raises:
        InputError: When a fence, a comment or a formula is opened and never closed: what it hides here is seen on
            the page.
    """
    # A title is shown too.
    yield from enumerate(front_matter(text), 1)
    hidden, since = "", 0
    for each in walk(_without_filled(text)):
        if isinstance(each, Fence):
            if whole and not (each.closed and _INFO.fullmatch(each.info)):
                _refuse_open(each.line, "a fence")
            yield each.line, " ".join(_TITLE.findall(each.info))
            continue
        number, line = each
        if hidden:
            hidden, line = _reveal(line, hidden)
        for pattern in _NOT_PROSE:
            line = pattern.sub(" ", line)
        for opened, closed in (("<!--", "-->"), ("$$", "$$")):
            before, found, after = line.partition(opened)
            if found:
                hidden, rest = _reveal(after, closed)
                since = number
                line = before + rest
        yield number, line
    if whole and hidden:
        _refuse_open(since, "a comment" if hidden == "-->" else "a formula")


def _refuse_open(line: int, what: str) -> NoReturn:
    msg = (
        f"line {line}: {what} is opened there that Markdown does not see closed: close it, or set the mark as code"
    )
    raise InputError(msg)


def _without_filled(text: str) -> str:
    """The text with the template instead of what a command made of it; the lines keep their places."""
    return BLOCK.sub(
        lambda match: f"{match['template']}\n{chr(10) * match['filled'].count(chr(10))}{match[4]}", text
    )


def _reveal(line: str, end: str) -> tuple[str, str]:
    """What still hides the text after this line, and the part of the line that is seen."""
    _, found, after = line.partition(end)
    return ("", after) if found else (end, "")


def typed(line: str) -> list[str]:
    """The numbers in a line of prose that should have been bound."""
    found = [match[0] for match in _FRACTION.finditer(line)]
    for match in _NUMBER.finditer(_FRACTION.sub(" ", line)):
        digits = match["digits"]
        plain = digits.isdigit() and (
            int(digits) <= 10
            or (_YEAR.fullmatch(digits) is not None and not _COUNTED.match(match.string, match.end("digits")))
        )
        if match["factor"] or match["unit"] or not plain:
            found.append(match[0].strip())
    return found


def findings(root: Path) -> list[str]:
    """Every typed-in number of a repository's texts.

    Args:
        root: The repository.

    Returns:
        One line a number: the file, the line, the number and what to do.

    Raises:
        InputError: When a notebook cannot be read.
    """
    found: list[str] = []
    for text in texts(root):
        try:
            found += (
                f"{text.file}:{text.line + number - 1}: {each!r} is typed in: bind it with [=…], or set it as code"
                for number, line in prose(text.text, whole=not text.file.endswith(".py"))
                for each in typed(line)
            )
        except InputError as error:
            found.append(f"{text.file}: {error}")
    return found


def main() -> None:
    """Lint the repository in the current folder; exit 1 where a number was typed in."""
    finish(lambda: findings(Path.cwd()))


if __name__ == "__main__":
    main()
