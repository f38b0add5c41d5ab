"""Disagreement: where in the texts the two models differ most, and whether the rules can be told apart there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.experiments.protocol import CellJob, Session


class Disagreement:
    """The experiment."""

    name = "disagreement"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One cell a prompt."""
        raise NotImplementedError
