"""Numbers typed into prose are found; what is no prose, or needs no source, passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from small_site import HERE
from speclab.errors import InputError
from speclab.site.numerals import findings, prose, typed

if TYPE_CHECKING:
    from pathlib import Path


def found(text: str) -> list[str]:
    return [each for _, line in prose(text) for each in typed(line)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It is 1.8× faster.", "1.8×"),
        ("It is 2× faster.", "2×"),
        ("twice, or 3 times as fast", "3 times"),
        ("a gain of 20%.", "20%"),
        ("a gain of 5 % here", "5 %"),
        ("takes 9 ms a step", "9 ms"),
        ("holds 4 GB", "4 GB"),
        ("at 8 tokens/s", "8 tokens/s"),
        ("alpha of .85 and", ".85"),
        ("24 prompts", "24"),
        ("1,024 tokens", "1,024"),
        ("| a | 0.5 |", "0.5"),
        ("![a gain of 1.5](x.svg)", "1.5"),
        ('<img src="a.svg" alt="up to 7.5">', "7.5"),
        ("## Costs of 1.2", "1.2"),
        ("(−3.5)", "−3.5"),
        ("a 90-minute run", "90-minute"),
        ("a 1.5B model", "1.5B"),
        ("a 4-bit draft", "4-bit"),
        ("gains ×3 there", "×3"),
        ("a 3-fold gain", "3-fold"),
        ("9 µs and", "9 µs"),
        ("9 μs and", "9 μs"),
        ("8 tokens per second", "8 tokens per second"),
        ("8 tok/s", "8 tok/s"),
        ("2 GiB", "2 GiB"),
        ("in 7 days", "7 days"),
        ("a context of 2048", "2048"),
        ("---\ntitle: Up to 1.5\n---\ntext", "1.5"),
        ("<!-- numbers: [=c] is 1.7 of\n-->\n0.31 is 1.7 of\n<!-- /numbers -->", "1.7"),
        ("| a | b |\n|---|---|\n| c | 7 % |", "7 %"),
        ("# Twice, or 2.1", "2.1"),
        ("- up to 20", "20"),
        ('text {: title="up to 7.5" }', "7.5"),
        ('[text](x.md "up to 7.5")', "7.5"),
    ],
)
def test_typed_numbers_are_found(text: str, number: str) -> None:
    """Decimals, numbers with a unit, and numbers above ten."""
    assert found(text) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "Two models, 6 kinds, and 10 at most, since 2023.",
        "At [=speed.mixed.k2] it pays.",
        "Use `python 3.11` and ``0.5 `x` 1.5``.",
        "```\n0.5\n```",
        '```python exec="1" html="1" session="x15"\nprint(0.5)\n```',
        "$0.5 + 17$ and $$\n99.5\n$$ end",
        "[text](https://x.example/1.5/17) and <https://a.example/9.9>",
        "[ref]: https://x.example/1.5",
        "<!-- 1.5\n17 --> here",
        "# Title {#v1.5}",
        "17. an item of a list",
        "at k = 1, 2 and 4, in the 2nd round",
        "bfloat16, int8, Qwen2, k2 and x86",
        "a&#8201;b",
        "# Title {: #v1.5 .w2.5 }",
        "Licensed as <code>Apache-2.0</code> and `CC BY 4.0`.",
        "from 1999 to 2026",
        "ten, twenty and nine of them",
        "---\ntitle: Costs\n---\ntext",
        "~~~\n1.5\n```\n2.5\n~~~",
    ],
)
def test_everything_else_passes(text: str) -> None:
    """Cardinals to ten, years, bound numbers, code, mathematics, addresses, comments, ids."""
    assert found(text) == []


def test_a_finding_names_file_and_line(tmp_path: Path) -> None:
    """Pages and README are read; each finding leads to its line."""
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "deep" / "a.md").write_text("fine\n\nit is 1.8× faster\n", "utf-8")
    (tmp_path / "README.md").write_text("99 bottles\n", "utf-8")
    first, second = findings(tmp_path)
    assert first.startswith("README.md:1: '99'")
    assert second.startswith("docs/deep/a.md:3: '1.8×'")


def test_notebooks_are_read_and_their_code_is_not(tmp_path: Path) -> None:
    """The prose of a cell, as a text or as lines; named with the cell and the line in it."""
    cells = [
        {"cell_type": "code", "source": "x = 1.5  # 1.8× faster", "outputs": [{"text": "1.8× faster"}]},
        {"cell_type": "markdown", "source": ["fine `1.5`\n", "\n", "it is 1.8× faster\n"]},
        {"cell_type": "markdown", "source": "## up to 99 tokens"},
    ]
    (tmp_path / "docs" / "lab").mkdir(parents=True)
    (tmp_path / "docs" / "lab" / "a.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    first, second = findings(tmp_path)
    assert first.startswith("docs/lab/a.ipynb, cell 2:3: '1.8×' is typed in")
    assert second.startswith("docs/lab/a.ipynb, cell 3:1: '99' is typed in")


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": [{"cell_type": "markdown"}]}', '{"cells": 7}'])
def test_a_notebook_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """What cannot be read cannot be passed."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.ipynb").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"^docs/a\.ipynb is not a notebook .*: save it again"):
        findings(tmp_path)


def test_words_of_figures_and_tables_are_read(tmp_path: Path) -> None:
    """Captions, headings of columns and notes; no docstrings, no formats, no colours, no computed numbers."""
    room = tmp_path / "src" / "speclab" / "site" / "figures"
    room.mkdir(parents=True)
    code = '''"""A gain of 1.5."""
INK = "#010101"
def draw(x):
    """Up to 2.5 of it."""
    caption = f"{x:.2f} of all, at best 1.8× "
    return table(caption, ("k", "9 ms"), ".1f GB", note="an interval "
                 "at 95 %")
'''
    (room / "a.py").write_text(code, "utf-8")
    assert [each.split(" is typed")[0] for each in findings(tmp_path)] == [
        "src/speclab/site/figures/a.py:5: '1.8×'",
        "src/speclab/site/figures/a.py:6: '9 ms'",
        "src/speclab/site/figures/a.py:6: '95 %'",
    ]


def test_the_repository_has_none() -> None:
    """No file is excepted."""
    assert findings(HERE) == []


@pytest.mark.parametrize(
    ("opened", "what"),
    [
        ("An open <!-- mark.", "a comment"),
        ("It costs $$ a lot.", "a formula"),
        ("```text", "a fence"),
        ("```text``` is code.", "a fence"),
        ("~~~ is a mark", "a fence"),
    ],
)
def test_nothing_hides_behind_a_mark_that_is_never_closed(tmp_path: Path, opened: str, what: str) -> None:
    """The page shows what stands behind it, so the lint refuses the mark."""
    (tmp_path / "README.md").write_text(f"# Title\n\n{opened}\n\nIt is 42 times as fast.\n", encoding="utf-8")
    [found] = findings(tmp_path)
    assert found.startswith(f"README.md: line 3: {what} is opened there")


@pytest.mark.parametrize("line", ["Of 2000 prompts most were equal.", "After 1999\u00a0tokens.", "2048 ids"])
def test_a_count_is_no_year(line: str) -> None:
    """What is counted stands behind it."""
    assert typed(line)
    assert not typed("In 1999 and since 2026, tokens were counted.")


def test_the_title_of_a_code_block_is_read(tmp_path: Path) -> None:
    """It is shown above the code."""
    fence = '```python title="83 times faster"\nx = 99.9\n```\n'
    (tmp_path / "README.md").write_text(fence, encoding="utf-8")
    [found] = findings(tmp_path)
    assert found.startswith("README.md:1: '83 times' is typed in")


@pytest.mark.parametrize("fraction", ["½", "⅔", "1/3", "2 / 5", "7\u20448"])
def test_a_fraction_is_a_number_too(fraction: str) -> None:
    """Whatever it is written with; a path, a date or an and-or is none."""
    assert found(f"It takes {fraction} of the time.") == [fraction]
    assert found("and/or, docs/1/x, a 2026/1/3, w/o") == []


def test_what_is_said_of_numbers_and_the_titles_of_the_navigation_are_read(tmp_path: Path) -> None:
    """They are shown as much as any page is."""
    (tmp_path / "research").mkdir()
    register = '[[claim]]\nid = "x"\nsays = "takes 9 ms"\nformat = ".2f ms"\n'
    (tmp_path / "research/register.toml").write_text(register, encoding="utf-8")
    given = '[[given]]\nid = "y"\nsays = "none"\nvalue = 0.5\nreason = "twice 0.25"\n'
    (tmp_path / "research/given.toml").write_text(given, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("nav:\n  - Up to 1.8 times: index.md\n  - Fine: x.md\n", encoding="utf-8")
    assert [each.partition(": bind")[0].partition(" is typed")[0] for each in findings(tmp_path)] == [
        "research/register.toml:3: '9 ms'",
        "research/given.toml:5: '0.25'",
        "mkdocs.yml:2: '1.8 times'",
    ]
