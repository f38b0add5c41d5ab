"""Files outside the site that hold its numbers, kept current: `python -m speclab.site.written [--write]`.

The register as a text, `research/evidence-register.md`, and the block of numbers in the README. The template of
the block stands in the comment that opens it, with `[=…]` as on a page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from speclab.records.files import write_atomic
from speclab.site.bound import about, bound
from speclab.site.building import begin, current
from speclab.site.gate import finish
from speclab.site.pages.disturbed import DISTURBED, SAYS, disturbed_lines
from speclab.site.pages.register import SECTIONS, addresses
from speclab.site.sources import MARK

if TYPE_CHECKING:
    from speclab.evidence.values import Value

REGISTER = "research/evidence-register.md"
README = "README.md"
BLOCK = re.compile(r"(<!-- numbers:(?P<template>.+?)-->\n)(?P<filled>.*?)(<!-- /numbers -->)", re.DOTALL)
_HEAD = (
    "# Evidence register\n\nWritten by `nox -s docs -- --write` from `research/register.toml` and the adopted "
    "runs; the same as the site's page.\n"
)


def written(root: Path) -> dict[str, str]:
    """What each of these files has to hold now, by its path in the repository.

    Raises:
        InputError: When a number cannot be had.
        CheckError: When a wording no longer holds.
    """
    begin(root)
    readme = (root / README).read_text(encoding="utf-8")
    return {REGISTER: _register(), README: BLOCK.sub(_filled, readme)}


def outdated(root: Path) -> list[str]:
    """One line for each file that does not hold what it has to."""
    return [
        f"{path} is not current: `nox -s docs -- --write` writes it again"
        for path, text in written(root).items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]


def write(root: Path) -> list[str]:
    """Write these files again; there is nothing to report then."""
    for path, text in written(root).items():
        write_atomic(root / path, text)
    return []


def _filled(match: re.Match[str]) -> str:
    text = MARK.sub(lambda mark: bound(mark["address"])[1], match["template"]).strip()
    return f"{match[1]}\n{text}\n\n{match[4]}"


def _register() -> str:
    register = current().register
    values = [register.value(address) for address in addresses(register)]
    parts = [_HEAD]
    for heading, value_class, says in SECTIONS:
        lines = [_line(value) for value in values if value.value_class == value_class]
        if lines:
            parts.append(f"## {heading}\n\n{says}\n\n" + "\n".join(lines) + "\n")
    parts.append(f"## {DISTURBED}\n\n{SAYS}\n\n{disturbed_lines(register)}\n")
    discards = [f"- `{run_id}`: {discard.reason}" for run_id, discard in register.discards.items()]
    parts.append("## Discarded runs\n\n" + ("\n".join(discards) or "None so far.") + "\n")
    return "\n".join(parts)


def _line(value: Value) -> str:
    return f"- `{value.address}` **{value.show()}**: {about(value)}"


def main() -> None:
    """Check the repository in the current folder, or write these files again; exit 1 where one is not current."""
    finish(lambda: write(Path.cwd()) if "--write" in sys.argv[1:] else outdated(Path.cwd()))


if __name__ == "__main__":
    main()
