"""The two likeliest tokens of a row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.experiments.replay import numbers

if TYPE_CHECKING:
    from speclab.decoding.protocols import Rows


@dataclass(frozen=True, slots=True)
class Leaders:
    """The likeliest token of a row and the second, to be looked up in other rows too."""

    first: int
    second: int

    def gap(self, row: Rows) -> float:
        """How far the first one's logit lies above the second's in a row; negative where it lies below."""
        return float(row[self.first]) - float(row[self.second])

    def largest(self, row: Rows) -> float:
        """The larger of the two logits, by size."""
        return max(abs(float(row[self.first])), abs(float(row[self.second])))


def leaders(row: Rows) -> Leaders:
    """Find them; of equal logits the greedy rule's choice comes first."""
    rest = numbers(row)
    first = int(row.argmax(-1))
    rest[first] = -math.inf
    return Leaders(first, int(rest.argmax()))
