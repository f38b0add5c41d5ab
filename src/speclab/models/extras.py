"""The packages that only real models need."""

from __future__ import annotations

import importlib.util

from speclab.errors import InputError

LOADING = ("torch", "transformers", "safetensors")
CONVERTING = (*LOADING, "gguf", "accelerate")


def require(packages: tuple[str, ...], what: str) -> None:
    """Refuse when a package is missing, before anything is downloaded or read.

    Args:
        packages: Names as they are imported.
        what: What they are needed for.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        msg = f"{what} needs {', '.join(missing)}: run `pip install 'speclab[models]'`"
        raise InputError(msg)
