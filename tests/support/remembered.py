"""A model that makes each pass once: walks over outcomes repeat the same passes thousands of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.backends.hf.model import HFModel
    from speclab.decoding.sampling import Sampling


class _State:
    """A cache at rest, and where each pass or cut leads from it."""

    def __init__(self, model: HFModel) -> None:
        self.model = model
        self.passes: dict[tuple[int, ...], tuple[torch.Tensor, _State]] = {}
        self.cuts: dict[int, _State] = {}


class Memory:
    """The states that a model's real cache was in; two with the same content to 11 digits are one.

    Nothing is computed in another way than by the model itself: every pass and every cut is made once, on a copy
    of the real cache, and its outcome kept. So are laws: a memory serves one sampling.
    """

    def __init__(self, model: HFModel) -> None:
        self._states: dict[tuple[Any, ...], _State] = {}
        self.laws: dict[int, torch.Tensor] = {}
        self._root = self.enter(model)

    def start(self) -> Remembered:
        """A model with an empty cache."""
        return Remembered(self, self._root)

    def enter(self, model: HFModel) -> _State:
        """The state that this cache is in."""
        content = [part for layer in model.layers if model.length for part in (layer.keys, layer.values)]
        flat = torch.cat([part.flatten() for part in content]).round(decimals=11) if content else torch.empty(0)
        key = (tuple(model.ids), flat.numpy().tobytes())
        return self._states.setdefault(key, _State(model))


class Remembered:
    """One run's view of a `Memory`: the loop's protocol, for an `HFModel`."""

    def __init__(self, memory: Memory, state: _State) -> None:
        self._memory = memory
        self._state = state
        self.vocabulary = state.model.vocabulary
        self.context = state.model.context

    @property
    def ids(self) -> list[int]:
        return self._state.model.ids

    @property
    def length(self) -> int:
        return self._state.model.length

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> torch.Tensor:
        key = tuple(ids)
        if key not in self._state.passes:
            twin = self._state.model.fork()
            rows = twin.feed(ids)
            self._state.passes[key] = (rows, self._memory.enter(twin))
        rows, self._state = self._state.passes[key]
        return rows[-last:] if last else rows

    def rollback(self, length: int) -> None:
        if length not in self._state.cuts:
            twin = self._state.model.fork()
            twin.rollback(length)
            self._state.cuts[length] = self._memory.enter(twin)
        self._state = self._state.cuts[length]

    def law(self, row: torch.Tensor, sampling: Sampling) -> torch.Tensor:
        key = row.data_ptr()  # rows are kept, so an address is never used twice
        if key not in self._memory.laws:
            self._memory.laws[key] = self._state.model.law(row, sampling)
        return self._memory.laws[key]

    def fork(self) -> Remembered:
        return Remembered(self._memory, self._state)
