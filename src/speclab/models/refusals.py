"""What transformers says about unusable files, as one line that names the model."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def one_line(name: str) -> Iterator[None]:
    """Turn a failure of transformers to read a model into one line."""
    from safetensors import SafetensorError  # noqa: PLC0415 - comes with transformers

    try:
        yield
    except InputError as error:
        msg = f"{name}: {error}"
        raise InputError(msg) from None
    except (OSError, ValueError, LookupError, RuntimeError, ImportError, SafetensorError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the model
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        msg = f"{name} cannot be loaded: {lines[0] if lines else type(error).__name__}"
        raise InputError(msg) from None


def require_all_weights(found: dict[str, Any]) -> None:
    """Refuse weights that are not all there: transformers fills the rest with random numbers and only warns.

    Args:
        found: The loading info of `from_pretrained`.
    """
    if missing := sorted(found["missing_keys"]):
        msg = f"its weights lack {len(missing)} tensors, {missing[0]} the first"
        raise InputError(msg)
