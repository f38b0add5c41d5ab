"""Reader of the project's own format: TOML, one table a prompt, defaults at the top of the file."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.prompts.prompt import NOT_STATED, Message, make_prompt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from speclab.prompts.prompt import Prompt

DEFAULTS = ("kind", "licence", "source")


def read_tables(text: str, path: Path) -> Iterator[tuple[str, Prompt]]:
    """The prompts of one file, each with its place.

    Raises:
        InputError: With file, line and what to write instead.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        msg = (
            f"{path} holds neither lines of JSON nor TOML ({error}): "
            "write one JSON object a line, or [[prompt]] tables"
        )
        raise InputError(msg) from None
    tables = data.pop("prompt", [])
    _refuse_unknown(str(path), data, DEFAULTS)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        msg = f"{path}: `prompt` is no list of tables; begin each prompt with [[prompt]]"
        raise InputError(msg)
    headers = [n for n, line in enumerate(text.split("\n"), 1) if re.match(r"\s*\[\[prompt\]\]", line)]
    for index, table in enumerate(tables):
        # A text may itself hold such a header; then the count tells more than a wrong line.
        place = f"{path}, " + (f"line {headers[index]}" if len(headers) == len(tables) else f"prompt {index + 1}")
        yield place, _prompt(place, {**data, **table}, path)


def _prompt(place: str, table: dict[str, Any], path: Path) -> Prompt:
    _refuse_unknown(place, table, (*DEFAULTS, "id", "text", "messages"))
    for key in ("id", "kind"):
        if key not in table:
            msg = f"{place}: the prompt has no `{key}`; add it"
            raise InputError(msg)
    if ("text" in table) == ("messages" in table):
        msg = f"{place}: a prompt has either `text` or `messages`; keep one of them"
        raise InputError(msg)
    for key, value in table.items():
        if key != "messages" and not isinstance(value, str):
            msg = f"{place}: `{key}` is {value!r}; write it as a string"
            raise InputError(msg)
    return make_prompt(
        place,
        name=table["id"],
        kind=table["kind"],
        text=table.get("text"),
        messages=_messages(place, table.get("messages", [])),
        licence=table.get("licence", NOT_STATED),
        source=table.get("source", path.name),
    )


def _messages(place: str, given: Any) -> list[Message]:
    wanted = {"role", "content"}
    whole = isinstance(given, list) and all(
        isinstance(each, dict) and set(each) == wanted and all(isinstance(value, str) for value in each.values())
        for each in given
    )
    if not whole:
        msg = f"{place}: `messages` are tables of the strings `role` and `content`, and of nothing else"
        raise InputError(msg)
    return [Message(each["role"], each["content"]) for each in given]


def _refuse_unknown(place: str, table: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            msg = f"{place}: unknown key `{key}`; known are {', '.join(known)}"
            raise InputError(msg)
