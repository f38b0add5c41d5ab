"""The random source that fits a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.backends.table import NumpySource

if TYPE_CHECKING:
    from speclab.decoding.protocols import Model, RandomSource


def source_for(model: Model, seed: int) -> RandomSource:
    """Torch's numbers where the model computes with torch, and numpy's for a table.

    Args:
        model: Whose laws are drawn from.
        seed: Of every decision.
    """
    if getattr(model, "device", None) is None:
        return NumpySource(seed)
    from speclab.backends.hf.source import TorchSource  # noqa: PLC0415 - torch, which a table does without

    return TorchSource(seed)
