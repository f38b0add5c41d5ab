"""Reader of JSON lines: MT-bench questions, HumanEval tasks, and plain `id`, `kind`, `prompt`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.prompts.prompt import NOT_STATED, Message, make_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from speclab.prompts.prompt import Prompt


def read_lines(text: str, path: Path) -> Iterator[tuple[str, Prompt]]:
    """The prompts of one file, each with its place; blank lines are passed over.

    Raises:
        InputError: With file, line and what to write instead.
    """
    # Not `splitlines`: JSON strings may hold U+2028 and others that it would cut at.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        row = _row(place, line)
        yield place, _reader(place, row)(place, row, path)


def _row(place: str, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or thousands of brackets
        reason = str(error)
    else:
        if isinstance(row, dict):
            return row
        reason = f"a {type(row).__name__} and no object"
    msg = f"{place}: not a JSON object ({reason}); write one whole object with the prompt's keys on each line"
    raise InputError(msg)


def _reader(place: str, row: dict[str, Any]) -> Callable[[str, dict[str, Any], Path], Prompt]:
    """The format that the keys of a row belong to."""
    for key, reader in (("turns", _question), ("question_id", _question), ("task_id", _task), ("prompt", _plain)):
        if key in row:
            return reader
    keys = ", ".join(sorted(row)[:8]) or "none"
    msg = (
        f"{place}: the keys ({keys}) belong to no known format; known are question_id, category, turns "
        "(MT-bench), task_id, prompt (HumanEval), and id, kind, prompt"
    )
    raise InputError(msg)


def _question(place: str, row: dict[str, Any], path: Path) -> Prompt:
    """MT-bench: the first turn, as a message of the user. The second would need an answer to the first."""
    name = row.get("question_id")
    if not isinstance(name, int | str) or isinstance(name, bool):
        msg = f"{place}: `question_id` is missing or no number; every question needs one"
        raise InputError(msg)
    turns = row.get("turns")
    if not isinstance(turns, list) or not turns or not isinstance(turns[0], str):
        msg = f"{place}: `turns` is missing or holds no text; it is a list whose first entry is the question"
        raise InputError(msg)
    return make_prompt(
        place,
        name=f"mt-bench.{name}",
        kind=_text(place, row, "category"),
        messages=[Message("user", turns[0])],
        licence=_licence(place, row),
        source=f"{path.name}, question {name}, first turn",
    )


def _task(place: str, row: dict[str, Any], path: Path) -> Prompt:
    """HumanEval: the head of a function, raw."""
    name = _text(place, row, "task_id")
    return make_prompt(
        place,
        name=name,
        kind="code",
        text=_text(place, row, "prompt"),
        licence=_licence(place, row),
        source=f"{path.name}, {name}",
    )


def _plain(place: str, row: dict[str, Any], path: Path) -> Prompt:
    """Raw text with an id and a kind."""
    return make_prompt(
        place,
        name=_text(place, row, "id"),
        kind=_text(place, row, "kind"),
        text=_text(place, row, "prompt"),
        licence=_licence(place, row),
        source=_text(place, row, "source") if "source" in row else path.name,
    )


def _licence(place: str, row: dict[str, Any]) -> str:
    return _text(place, row, "licence") if "licence" in row else NOT_STATED


def _text(place: str, row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        state = "is no string" if key in row else "is missing"
        msg = f"{place}: `{key}` {state}; give every prompt one, as a string"
        raise InputError(msg)
    return value
