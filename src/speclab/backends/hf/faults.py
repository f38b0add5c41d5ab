"""Caches that are cut back wrongly on purpose and say nothing of it: what checks of exactness must find."""

from __future__ import annotations

from speclab.backends.hf.model import HFModel


class _Miscut(HFModel):
    """Ends a cut that many positions off, and does not check."""

    off: int

    def rollback(self, length: int) -> None:
        """Say `length`, and leave another number of positions."""
        held = self.layers[0].get_seq_length()
        self._cache.crop(min(max(length + self.off, 0), held) - held)
        del self.ids[length:]

    def _check_layers(self, *, first: bool = False) -> None:
        """The check that would find it."""


class OneTooLong(_Miscut):
    """Keeps one stale position whenever a proposal is taken back."""

    off = 1


class OneTooShort(_Miscut):
    """Loses one position that was committed with every cut."""

    off = -1


MISCUTS: dict[str, type[HFModel]] = {"one too long": OneTooLong, "one too short": OneTooShort}
"""By what they leave."""
