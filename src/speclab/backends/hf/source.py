"""Random decisions from torch's generator."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class TorchSource:
    """Random decisions from a generator of its own; the same seed on the same device gives the same decisions.

    A token is drawn by inverting the law's cumulated sum in float64 over its support, so one of probability zero
    cannot come out, and a long tail is not lost to rounding.

    Args:
        seed: Any integer that torch takes.
        device: Where the numbers come from. On "cpu" they are the same on every machine, whatever the device
            of the laws.
    """

    def __init__(self, seed: int, device: torch.device | str = "cpu") -> None:
        self._generator = torch.Generator(device).manual_seed(seed)

    @torch.inference_mode()
    def choose(self, law: Tensor | tuple[float, ...], position: int) -> int:
        """Draw an index from a law, shape [outcomes]; never one of probability zero.

        Raises:
            ValueError: When the law holds NaN or an infinity, or nothing above zero.
        """
        weights = law if isinstance(law, Tensor) else torch.tensor(law, dtype=torch.float64)
        support = weights.nonzero()[:, 0]
        bounds = weights[support].double().cumsum(0)
        total = float(bounds[-1]) if len(bounds) else 0.0
        if not 0 < total < math.inf:
            msg = f"the law at position {position} adds up to {total}: no token can be drawn from it"
            raise ValueError(msg)
        # `right` finds the first bound above u, so that u = 0 never lands before the support.
        found = int(torch.searchsorted(bounds, self._uniform() * total, right=True))
        return int(support[min(found, len(support) - 1)])

    def _uniform(self) -> float:
        """A number in [0, 1)."""
        number = torch.rand((), dtype=torch.float64, device=self._generator.device, generator=self._generator)
        return float(number)
