"""Random decisions: one stream of torch's generator, or numbers that are tied to positions."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from itertools import accumulate

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

    def choose(self, law: Tensor | tuple[float, ...], position: int) -> int:
        """Draw an index from a law, shape [outcomes]; never one of probability zero.

        Raises:
            ValueError: When the law holds NaN or an infinity, or nothing above zero.
        """
        u = self._uniform(position)
        found = _invert_tensor(law, u) if isinstance(law, Tensor) else _invert(law, u)
        if found is None:
            msg = f"the law at position {position} holds NaN or an infinity, or nothing above zero"
            raise ValueError(msg)
        return found

    def _uniform(self, position: int) -> float:  # noqa: ARG002 - the stream goes on wherever it is asked
        """A number in [0, 1)."""
        number = torch.rand((), dtype=torch.float64, device=self._generator.device, generator=self._generator)
        return float(number)


class PositionSource(TorchSource):
    """Random decisions whose numbers hang on the seed and the position alone, the same on every machine.

    Plain decoding asks once at each position. A speculative run with proposals that were chosen and not drawn,
    under `accept_own_draw`, asks once too, so both decide every position by the same number and give the same
    tokens. Whoever asks again at a position gets another number: one number in two decisions would tie them
    together, and the law would be wrong. That is why drawn proposals do not reproduce plain's text: the draft's
    draw takes the position's first number, and a position that is guessed twice takes more.

    One source serves one generation.

    Args:
        seed: Any integer.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(0)
        self._seed = seed
        self._asked: Counter[int] = Counter()

    def _uniform(self, position: int) -> float:
        name = f"{self._seed}.{position}.{self._asked[position]}"
        self._asked[position] += 1
        bits = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        return (bits >> 11) * 2.0**-53


def _invert(law: tuple[float, ...], u: float) -> int | None:
    """The first index whose cumulated sum is above the fraction u of the total; None where there is no total.

    The comparison is strict, so u = 0 never lands on an index of probability zero before the support.
    """
    bounds = list(accumulate(law))
    total = bounds[-1]
    if not 0 < total < math.inf:
        return None
    above = (index for index, bound in enumerate(bounds) if bound > u * total)
    return next(above, max(index for index, weight in enumerate(law) if weight > 0))


@torch.inference_mode()
def _invert_tensor(law: Tensor, u: float) -> int | None:
    """The same on the law's device, over its support alone."""
    support = law.nonzero()[:, 0]
    bounds = law[support].double().cumsum(0)
    total = float(bounds[-1]) if len(bounds) else 0.0
    if not 0 < total < math.inf:
        return None
    found = int(torch.searchsorted(bounds, u * total, right=True))
    return int(support[min(found, len(support) - 1)])
