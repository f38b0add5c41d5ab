"""What an estimate is: a number, its interval where there is one, how many prompts it rests on, and its unit."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from speclab.errors import InputError
from speclab.records.base import Record

Unit: TypeAlias = Literal[
    "ratio", "share", "count", "tokens", "tokens/s", "ms", "bytes", "minutes", "logits", "per logit"
]
ValueClass: TypeAlias = Literal["measured", "computed", "reported", "given"]
"""From a run; by the cost model or arithmetic on such; by others; by plan, model configuration or `given.toml`."""


class EmptySelectionError(InputError):
    """What was asked for is not among the rows of this run."""


class Estimate(Record):
    """A number that rows amount to.

    Attributes:
        value: The number, unrounded; None where it cannot be had, and `reason` says why.
        low: Lower end of the 95 % interval, or None, and `reason` says why.
        high: Upper end.
        n: What the interval counts as independent: prompts, or cycles, contexts, pieces where `of` says so.
        of: What `n` counts.
        unit: Of all three numbers; times are in milliseconds, sizes in bytes.
        reason: Why there is no interval, or no value.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    of: str = "prompts"
    unit: Unit = "ratio"
    reason: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.low is None) != (self.high is None):
            msg = "an interval has two ends"
            raise ValueError(msg)
        if self.low is None and self.reason is None:
            msg = "where there is no interval, the reason is said"
            raise ValueError(msg)
        if self.value is None and self.low is not None:
            msg = "an interval without a value"
            raise ValueError(msg)
        return self

    def number(self) -> float:
        """The value where there must be one.

        Raises:
            EmptySelectionError: With the reason, where there is none.
        """
        if self.value is None:
            raise EmptySelectionError(self.reason)
        return self.value
