"""Margins: how close the two likeliest tokens are in float32, and what the shape of a pass changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.experiments.protocol import CellJob, Session


class Margins:
    """The experiment."""

    name = "margins"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One cell a prompt."""
        raise NotImplementedError
