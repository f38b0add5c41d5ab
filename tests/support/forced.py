"""Sources whose uniform numbers a test writes down beforehand, one way of inverting a law each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from speclab.backends.hf.source import TorchSource
from speclab.backends.table import NumpySource
from speclab.experiments.draws import invert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import RandomSource


class ForcedTorch(TorchSource):
    """Torch's source with these numbers, one after another."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__(0)
        self._numbers = iter(numbers)

    def _uniform(self, position: int) -> float:  # noqa: ARG002
        return next(self._numbers)


class ForcedNumpy(NumpySource):
    """Numpy's source with these numbers, one after another."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__(0)
        self._numbers = iter(numbers)
        self._generator: Any = self

    def random(self) -> float:
        return next(self._numbers)


class _Many:
    """The inversion of many draws at once, as a source."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self._numbers = iter(numbers)

    def choose(self, law: Any, position: int) -> int:  # noqa: ARG002
        weights = np.asarray(law, dtype=np.float64)
        return int(invert(weights, np.array([next(self._numbers)]))[0])


def as_float32(law: Sequence[float]) -> torch.Tensor:
    """As a model in float32, or a half of it, gives it."""
    return torch.tensor(law, dtype=torch.float32)


def as_float64(law: Sequence[float]) -> torch.Tensor:
    """As a model in float64 gives it."""
    return torch.tensor(law, dtype=torch.float64)


INVERSIONS: dict[str, tuple[Callable[[Sequence[float]], RandomSource], Callable[[Sequence[float]], Any]]] = {
    "torch, tuple": (ForcedTorch, tuple),
    "torch, float32": (ForcedTorch, as_float32),
    "torch, float64": (ForcedTorch, as_float64),
    "numpy, tuple": (ForcedNumpy, tuple),
    "numpy, array": (ForcedNumpy, np.array),
    "many draws": (_Many, np.array),
}
"""By name: a source with forced numbers, and how it is given a law."""
EDGES = (0.0, 5e-324, 2**-53, 0.5, 1 - 2**-24, 1 - 2**-53)
"""Uniform numbers at the ends of [0, 1), and one between."""
