"""Pages as they are written: fences, executed blocks, and the numbers they ask for."""

from __future__ import annotations

import pytest

from speclab.site.sources import Fence, Use, block_faults, heading_faults, printed_blocks, uses, walk

GOOD = '```python exec="1" html="1" session="x"\nprint(tables.memory())\n```'


def test_fences_hide_what_they_hold() -> None:
    """Longer marks hold shorter ones; an open end runs to the end of the page."""
    text = "a\n````\n```\n[=b]\n```\n````\nc\n~~~\n[=d]"
    outside = [each for each in walk(text) if not isinstance(each, Fence)]
    assert outside == [(1, "a"), (7, "c")]


def test_front_matter_keeps_the_line_numbers() -> None:
    """Lines are those of the file."""
    assert uses("x.md", "---\ntitle: x\n---\n\nis [=c]") == [Use("x.md", 5, "c")]


def test_uses_are_those_of_prose() -> None:
    """Code asks for nothing."""
    text = "[=a.low] and `[=b]`\n\n```\n[=c]\n```\n\n| [=d] |"
    assert [(use.line, use.address) for use in uses("x.md", text)] == [(1, "a.low"), (7, "d")]


def test_blocks_that_print_are_counted() -> None:
    """An import prints nothing."""
    text = GOOD + '\n\n```python exec="1" html="1" session="x"\nfrom speclab.site import tables\n```\n'
    assert printed_blocks(text) == 1
    assert block_faults("docs/x.md", text) == []


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace('exec="1"', "exec=yes"),
        GOOD.replace(' html="1"', ""),
        GOOD.replace('html="1"', 'html="0"'),
        GOOD.replace("python", "pyhton"),
        GOOD.replace('session="x"', 'session="x" source="bove"'),
        GOOD.replace('session="x"', 'session="y"'),
        GOOD.replace(' session="x"', ""),
        GOOD.replace("\n```", "\nprint(1)\n```"),
        "> quoted\n\n   " + GOOD.replace('html="1"', "html=1"),
    ],
)
def test_a_block_that_would_be_shown_or_read_again_is_a_fault(text: str) -> None:
    """One form is right; every other one is refused with its line."""
    (fault,) = block_faults("docs/x.md", text)
    assert fault.startswith(f"docs/x.md:{1 + text[: text.index('```')].count(chr(10))}: executed block: ")


def test_headings_with_numbers_name_their_anchor() -> None:
    """So that their address survives a new run."""
    assert heading_faults("docs/x.md", "# Costs [=c] {#costs}\n## Plain\n") == []
    (fault,) = heading_faults("docs/x.md", "# Fine\n\n## Costs [=c]\n")
    assert fault.startswith("docs/x.md:3: ")
