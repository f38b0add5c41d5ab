"""What a folder must hold before anything of it is loaded: a plain configuration, and weights in safetensors."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.records.files import sha256_of

if TYPE_CHECKING:
    from pathlib import Path

INDEX = "model.safetensors.index.json"
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64"}
_LARGEST_HEADER = 100 * 2**20


def check_config(folder: Path, name: str) -> None:
    """Refuse a folder without a usable configuration, one that asks to run code of its own, or one of pickles.

    What is wrong for good is named here, before a tokenizer that may be missing too.

    Args:
        folder: The model's folder.
        name: What messages call it.
    """
    path = folder / "config.json"
    if not path.is_file():
        msg = f"{name} is no model folder: it holds no config.json"
        raise InputError(msg)
    config = _read_json(path, name)
    if "auto_map" in config:
        msg = (
            f"{name} has `auto_map` in its config.json: it would run code of its own, which is never done here; "
            "choose a model that transformers knows by itself"
        )
        raise InputError(msg)
    if "quantization_config" in config:
        method = config["quantization_config"].get("quant_method", "unknown")
        msg = f"{name} is quantised ({method}): take the unquantised model, or a GGUF file of it"
        raise InputError(msg)
    pickled = _pickled(folder, name)
    if pickled and not any(folder.glob("*.safetensors")):
        raise InputError(pickled)


def weight_files(folder: Path, name: str) -> tuple[Path, ...]:
    """The files of the weights, all of them there and whole.

    Raises:
        InputError: When there are none in safetensors, or one is missing or cut off.
    """
    index = folder / INDEX
    if index.is_file():
        names = sorted(set(_read_json(index, name).get("weight_map", {}).values()))
        files = [folder / each for each in names]
    else:
        files = [folder / "model.safetensors"]
    missing = [path.name for path in files if not path.is_file()]
    if not files or missing:
        raise InputError(_no_weights(folder, name, missing if index.is_file() else []))
    for path in files:
        tensors(path, name)
    return tuple(files)


def tensors(path: Path, name: str) -> dict[str, dict[str, Any]]:
    """Every tensor of a safetensors file with its dtype, shape and place, read from the header.

    Raises:
        InputError: When the file is cut off or damaged.
    """
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(min(length, _LARGEST_HEADER)))
        header.pop("__metadata__", None)
        whole = path.stat().st_size == 8 + length + max(each["data_offsets"][1] for each in header.values())
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        msg = f"{name}: {path.name} is cut off or no safetensors file; bring it again"
        raise InputError(msg)
    return dict(header)


def stored_dtype(files: tuple[Path, ...], name: str) -> str:
    """The dtype that most of the stored numbers have."""
    sizes: dict[str, int] = {}
    for path in files:
        for tensor in tensors(path, name).values():
            start, end = tensor["data_offsets"]
            sizes[tensor["dtype"]] = sizes.get(tensor["dtype"], 0) + end - start
    most = max(sizes, key=lambda dtype: sizes[dtype])
    return _DTYPES.get(most, most)


def digest(files: tuple[Path, ...]) -> str:
    """SHA-256 of the weights: of the file, or of the list `digest  name` of several.

    A file of the hub's cache is a link to one named by its digest; that name is taken.
    """
    each = [(_hub_digest(path) or sha256_of(path), path.name) for path in files]
    if len(each) == 1:
        return each[0][0]
    return hashlib.sha256("".join(f"{sha}  {name}\n" for sha, name in each).encode()).hexdigest()


def _hub_digest(path: Path) -> str | None:
    if not path.is_symlink():
        return None
    target = path.resolve().name
    return target if len(target) == 64 and set(target) <= set("0123456789abcdef") else None


def _read_json(path: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        msg = f"{name}: {path.name} is not readable JSON"
        raise InputError(msg)
    return content


def _no_weights(folder: Path, name: str, missing: list[str]) -> str:
    if missing:
        return f"{name} is incomplete: {missing[0]}, which its index names, is missing"
    pickled = _pickled(folder, name)
    if pickled:
        return pickled
    ggufs = sorted(path.name for path in folder.glob("*.gguf"))
    if ggufs:
        return f"{name} holds no safetensors weights; name its GGUF file itself ({ggufs[0]})"
    return f"{name} holds no weights in safetensors (model.safetensors, or {INDEX} and its parts)"


def _pickled(folder: Path, name: str) -> str | None:
    """Why weights in a pickle are refused, where there are any."""
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if not pickles:
        return None
    return (
        f"{name} holds its weights as a pickle ({pickles[0]}), which can run code when it is read: "
        "take a safetensors version of the model"
    )
