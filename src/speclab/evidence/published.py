"""Figures that others reported: `reported.…` addresses into `research/published/*.toml`, shown as printed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.evidence.documents import read_toml
from speclab.evidence.values import Value

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "research/published"


class Published:
    """All files of reported figures.

    An address is the path through a file's tables. Where two files answer to it, the file's name without ending
    comes first: `reported.published-run.speed.prose.k6`.
    """

    def __init__(self, repository: Path) -> None:
        """Read them.

        Raises:
            InputError: When one is not TOML.
        """
        self._files = {
            path.stem: read_toml(path, parse_float=Decimal)
            for path in sorted((repository / FOLDER).glob("*.toml"))
        }

    def value(self, address: str) -> Value:
        """What was reported.

        Args:
            address: Begins with `reported.`.

        Raises:
            InputError: When nothing or more than one figure stands there, or a table or list does.
        """
        path = address.split(".")[1:]
        found = {
            stem: leaf
            for stem, document in self._files.items()
            for inside in (path, path[1:] if path[:1] == [stem] else [])
            if inside and (leaf := _leaf(document, inside)) is not None
        }
        if len(found) != 1:
            what = f"several files answer: {', '.join(found)}; name the file first" if found else self._near(path)
            msg = f"{address}: {what}"
            raise InputError(msg)
        stem, leaf = next(iter(found.items()))
        if isinstance(leaf, dict | list):
            inside = ", ".join(leaf) if isinstance(leaf, dict) else "a list, which has no addresses inside"
            msg = f"{address} is not one figure; it holds: {inside}"
            raise InputError(msg)
        number = not isinstance(leaf, bool) and isinstance(leaf, Decimal | int)
        return Value(
            address=address,
            says=f"reported: {' '.join(path)}",
            value_class="reported",
            value=float(leaf) if number else None,
            text=str(leaf),
            reason=self._what(stem),
            source=f"{FOLDER}/{stem}.toml, {'.'.join(path)}",
        )

    def _what(self, stem: str) -> str | None:
        what = _leaf(self._files[stem], ["source", "what"])
        return what if isinstance(what, str) else None

    def _near(self, path: list[str]) -> str:
        """The deepest table on the way, with what it holds."""
        for length in range(len(path) - 1, -1, -1):
            for document in self._files.values():
                table = _leaf(document, path[:length]) if length else document
                if isinstance(table, dict):
                    where = ".".join(["reported", *path[:length]])
                    return f"nothing of that name was reported; {where} holds: {', '.join(table)}"
        return f"there is no file in {FOLDER}"


def _leaf(document: dict[str, Any], path: list[str]) -> Any:
    at: Any = document
    for key in path:
        if not isinstance(at, dict) or key not in at:
            return None
        at = at[key]
    return at
