"""Where a model comes from: the catalogue, a folder, a GGUF file, or the hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from speclab.errors import InputError
from speclab.models import hub
from speclab.models.cache import install, model_folder, require_space, workspace
from speclab.models.catalogue import catalogue
from speclab.models.converted import read_converted
from speclab.models.extras import CONVERTING, require
from speclab.models.folder import check_config
from speclab.models.gguf_header import read_header
from speclab.records.files import sha256_of

if TYPE_CHECKING:
    from speclab.models.converted import Converted
    from speclab.models.report import Report

Kind: TypeAlias = Literal["catalogue", "folder", "GGUF file", "hub"]


@dataclass(frozen=True, slots=True)
class Source:
    """A model whose configuration and tokenizer are on this machine."""

    name: str
    """The catalogue's name, the hub id, or the last part of a path."""
    folder: Path
    says: str
    """Where it came from, without a path of this machine."""
    converted: Converted | None = None
    """What a conversion from GGUF knew."""
    hub_id: str | None = None
    """Set where the weights may still have to be brought."""

    def with_weights(self) -> Path:
        """The folder with the weights in it."""
        if self.hub_id is None:
            return self.folder
        # The hub's cache names a folder by its commit: weights and configuration are of the same one.
        return hub.bring(self.hub_id, hub.WEIGHTS, commit=self.folder.name)


def locate(name: str, report: Report) -> Source:
    """Find a model, and check that its configuration is plain.

    Args:
        name: A name of the catalogue, a folder, a GGUF file, or a hub id.
        report: Told how far the conversion of a GGUF file is.

    Raises:
        InputError: When there is no such model here, or it cannot be used.
    """
    source = _find(name, report)
    check_config(source.folder, source.name)
    return source


def kind_of(name: str) -> Kind:
    """What a name means here; nothing is read or brought.

    Raises:
        InputError: When it means nothing.
    """
    if not name.strip():
        msg = "the name of the model is empty; `speclab fetch --list` names those of the catalogue"
        raise InputError(msg)
    if name in catalogue():
        return "catalogue"
    path = Path(name).expanduser()
    if path.is_dir():
        return "folder"
    if path.is_file():
        return "GGUF file"
    if hub.HUB_ID.fullmatch(name):
        return "hub"
    msg = (
        f"unknown model {name!r}: it is none of the catalogue ({', '.join(catalogue())}), no folder or GGUF file "
        "here, and no hub id (organisation/name)"
    )
    raise InputError(msg)


def _find(name: str, report: Report) -> Source:
    kind = kind_of(name)
    if kind == "catalogue":
        return _from_catalogue(name)
    if kind == "hub":
        folder = hub.bring(name, hub.LIGHT)
        return Source(name, folder, f"hub: {name} at {folder.name}", hub_id=name)
    path = Path(name).expanduser().resolve()
    if kind == "GGUF file":
        return _from_gguf(path, report)
    return Source(path.name, path, f"local folder {path.name}")


def _from_catalogue(name: str) -> Source:
    folder = model_folder(name)
    converted = read_converted(folder)
    if converted is None:
        state = "is damaged in the cache" if folder.exists() else "is not on this machine"
        msg = f"{name} {state}: run `speclab fetch {name}`"
        raise InputError(msg)
    return Source(name, folder, converted.source, converted)


def _from_gguf(path: Path, report: Report) -> Source:
    """Convert a GGUF file into the cache, once: the folder there is named by the file's digest."""
    require(CONVERTING, f"converting {path.name}")
    read_header(path)
    name = path.name
    report(f"{name}: checking", 0, 0)
    sha256 = sha256_of(path)
    key = f"gguf-{sha256}"
    folder = model_folder(key)
    converted = read_converted(folder)
    if converted is None:
        with workspace(key, report) as work:
            converted = read_converted(folder)
            if converted is None:
                converted = _convert(path, work / "model", sha256, report)
                install(work / "model", key)
    return Source(name, folder, f"GGUF file {name}", converted)


def _convert(path: Path, built: Path, sha256: str, report: Report) -> Converted:
    from speclab.models.convert import convert  # noqa: PLC0415 - torch

    require_space(2 * read_header(path).parameters, path.name)
    return convert(path, built, source=f"GGUF file {path.name}", sha256=sha256, report=report, what=path.name)
