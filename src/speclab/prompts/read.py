"""Prompts from a file or a folder; the format is seen from the content, not from the name."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.prompts.kinds import KINDS
from speclab.prompts.lines import read_lines
from speclab.prompts.tables import read_tables

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.prompts.prompt import Prompt

LARGEST = 64 * 2**20
"""Bytes of a prompt file, unpacked. A file of weights given by mistake is refused, not read."""
GZIP = b"\x1f\x8b"


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """Read a file of prompts, or a folder with `*.toml` files of them.

    Formats: the project's own TOML (`[[prompt]]` tables), and JSON lines, packed with gzip or not, with the keys
    of MT-bench (`question_id`, `category`, `turns`: the first turn as a message for the chat template), of
    HumanEval (`task_id`, `prompt`: raw) or plain ones (`id`, `kind`, `prompt`: raw).

    Args:
        path: A file, whose order is kept; or a folder, whose prompts come in the order of `KINDS`.

    Raises:
        InputError: One line with the file, the line where there is one, and what to do.
    """
    if path.is_dir():
        files = sorted(path.glob("*.toml"))
        if not files:
            msg = f"{path} holds no *.toml file of prompts; name a file, or a folder that holds some"
            raise InputError(msg)
    else:
        files = [path]
    places: dict[str, str] = {}
    prompts: list[Prompt] = []
    for file in files:
        for place, prompt in _read(file):
            if prompt.id in places:
                msg = f"{place}: the id {prompt.id!r} was already used in {places[prompt.id]}; ids are unique"
                raise InputError(msg)
            places[prompt.id] = place
            prompts.append(prompt)
    if path.is_dir():
        order = list(KINDS)
        prompts.sort(key=lambda prompt: order.index(prompt.kind) if prompt.kind in KINDS else len(order))
    return tuple(prompts)


def _read(path: Path) -> list[tuple[str, Prompt]]:
    """The prompts of one file, at least one, each with its place."""
    text = _text(path)
    if not text.strip():
        msg = f"{path} is empty; it must hold at least one prompt"
        raise InputError(msg)
    if text.lstrip().startswith("{"):
        return list(read_lines(text, path))
    if _is_json_list(text):
        msg = f"{path} is one JSON list; write each of its objects on a line of its own"
        raise InputError(msg)
    prompts = list(read_tables(text, path))
    if not prompts:
        msg = f"{path} holds no prompt; begin each with [[prompt]]"
        raise InputError(msg)
    return prompts


def _text(path: Path) -> str:
    """The file's text, unpacked and decoded."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            with gzip.open(file) if packed else file as stream:
                raw = stream.read(LARGEST + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        msg = f"{path} is a damaged gzip file ({error}): get it again"
        raise InputError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}): name a file of prompts"
        raise InputError(msg) from None
    if len(raw) > LARGEST:
        msg = f"{path} is larger than {LARGEST // 2**20} MiB: name a file of prompts"
        raise InputError(msg)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        msg = f"{path}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8 text"
        raise InputError(msg) from None
    before, found, _ = text.partition("\0")
    if found:
        line = before.count("\n") + 1
        msg = f"{path}, line {line}: a zero byte, as UTF-16 has them; save the file as UTF-8 text"
        raise InputError(msg)
    return text


def _is_json_list(text: str) -> bool:
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False
