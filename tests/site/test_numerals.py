"""Numbers typed into prose are found; what is no prose, or needs no source, passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
        "---\ntitle: 1.5\n---\ntext",
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
