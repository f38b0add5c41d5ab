"""The one way from a string that a model or a run made into a page.

A text of that origin may hold anything: tags, `{{ }}`, a fence that asks to be executed, half a character, a
mark that turns the reading direction around. `escape` makes it inert in the place it is put; `piece` shows a
token as it really is, with its spaces, line ends and stray bytes visible.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Literal, TypeAlias

Medium: TypeAlias = Literal["text", "attribute", "script"]

# Besides what HTML itself asks for: what Markdown, a table of pipes or a template could read as its own. They stay
# inert even where a page is read as Markdown a second time.
_INERT = {ord(each): f"&#{ord(each)};" for each in "&<>\"'`|[]{}()*_~$\\#=\n\r\t"}
_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", " ": "␣"}
# Controls, marks without a shape, half characters, unassigned ones, and the separators that look like a space.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
# Joiners shape letters and emoji, no-break spaces keep a number with its unit; they do no harm within a text.
_KEPT_IN_TEXT = {" ", "\n", "\t", "\u00a0", "\u202f", "\u200c", "\u200d"}


def escape(text: str, medium: Medium = "text") -> str:
    """Make a string inert in the medium it is put into.

    Args:
        text: Any string, lone surrogates included.
        medium: `text` for the content of an element, `attribute` for a quoted attribute, `script` for a JSON
            string (with its quotes) in a script element.

    Returns:
        Text that can be written as UTF-8 and holds no character that HTML, Markdown or a template would act on.
        Characters that cannot be seen, or that change how others are read, are shown by their number.
    """
    if medium == "script":
        return "".join(_SCRIPT.get(each, each) for each in json.dumps(text))
    seen = "".join(each if each in _KEPT_IN_TEXT else _visible(each) for each in text)
    return seen.translate(_INERT)


def piece(token: str | bytes) -> str:
    r"""Show one token's piece: HTML text for a `<code>` element.

    Args:
        token: The piece's text, or its bytes where they may be part of a character.

    Returns:
        Escaped text: a space as an open box, line ends and tabs by name, bytes that are no character as `\xNN`,
        what cannot be seen by its number, and the empty piece as an empty-set sign.
    """
    text = token.decode("utf-8", "backslashreplace") if isinstance(token, bytes) else token
    return escape("".join(_NAMED.get(each) or _visible(each) for each in text)) or "∅"


def _visible(character: str) -> str:
    if character == " " or unicodedata.category(character) not in _UNSEEN:
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
