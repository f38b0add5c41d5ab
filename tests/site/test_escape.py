"""What a model wrote is inert wherever it is put."""

from __future__ import annotations

import html
import json

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown

from speclab.site.escape import escape, piece

NASTY = (
    "<|im_end|>",
    "</script><script>alert(1)</script>",
    "<b>bold</b>",
    "&amp;",
    "</td></code></pre>",
    "<!-- ]]>",
    "{{ x }} {% raw %}",
    "a|b`c",
    '```python exec="1"\nprint(1)\n```',
    "[=speed.mixed.k2] [link](http://x) **b** _i_ $x$",
    "'\"",
    "# heading\n\n    code",
)


@pytest.mark.parametrize("text", NASTY)
def test_text_survives_html_and_markdown(text: str) -> None:
    """The reader sees the very characters, and neither HTML nor Markdown acts on them."""
    markdown = Markdown(extensions=["tables", "pymdownx.superfences", "toc", "attr_list"])
    for built in (f"<p>{escape(text)}</p>", markdown.convert(f"before {escape(text)} after")):
        soup = BeautifulSoup(built, "html.parser")
        assert [each.name for each in soup.find_all(True)] == ["p"]
        assert text in soup.get_text()


@pytest.mark.parametrize("text", NASTY)
def test_attribute_is_one_attribute(text: str) -> None:
    """Nothing breaks out of a quoted attribute."""
    tag = BeautifulSoup(f'<a title="{escape(text, "attribute")}">x</a>', "html.parser").find("a")
    assert tag is not None
    assert tag.attrs == {"title": text}


@pytest.mark.parametrize("text", [*NASTY, "\u2028\ud83d", "é 😀"])
def test_script_is_json_that_closes_nothing(text: str) -> None:
    """The JSON reads back as it was and holds no `<` at all."""
    written = escape(text, "script")
    assert json.loads(written) == text
    assert "<" not in written
    assert written.encode("utf-8")


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" the", "␣the"),
        ("\n\n\t|", "\\n\\n\\t|"),
        ("", "∅"),
        (" " * 200, "␣" * 200),
        ("ď 😀 世界", "ď␣😀␣世界"),
        (b"\xf0\x9f", "\\xf0\\x9f"),
        (b"a\xe2\x82", "a\\xe2\\x82"),
        ("\ud83d", "\\ud83d"),
        ("\u202eabc", "\\u202eabc"),
        ("a\u200db", "a\\u200db"),
        ("\u00a0", "\\xa0"),
        ("<|im_end|>", "<|im_end|>"),
        ("שלום", "שלום"),
    ],
)
def test_piece_shows_what_cannot_be_seen(token: str | bytes, shown: str) -> None:
    """Spaces, line ends, stray bytes and turning marks are visible; nothing becomes a replacement character."""
    assert html.unescape(piece(token)) == shown
    assert "\ufffd" not in piece(token)


def test_text_keeps_joined_emoji_but_not_turned_reading() -> None:
    """A family emoji stays whole in a text; a mark that reverses the reading is shown by its number."""
    assert escape("👨\u200d👩") == "👨\u200d👩"
    assert html.unescape(escape("\u202eevil")) == "\\u202eevil"


@pytest.mark.parametrize("text", ["|", "||", "<|im_end|>", "`", "a|b`c", "a\nb"])
def test_a_row_of_a_pipe_table_keeps_its_columns(text: str) -> None:
    """Even a table of pipes keeps its number of columns."""
    source = f"| a | b |\n|---|---|\n| {escape(text)} | x |\n"
    soup = BeautifulSoup(Markdown(extensions=["tables"]).convert(source), "html.parser")
    assert [len(row.find_all(["td", "th"])) for row in soup.find_all("tr")] == [2, 2]
