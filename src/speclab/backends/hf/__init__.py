"""A transformers model behind the protocol of the loop: the only place that knows a cache.

`generate` is the function for the `custom_generate=` of a transformers model; it is loaded when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from speclab.backends.hf.custom_generate import generate

__all__ = ["generate"]


def __getattr__(name: str) -> Any:
    if name == "generate":
        from speclab.backends.hf.custom_generate import generate  # noqa: PLC0415 - needs transformers

        return generate
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
