"""The one kind of record: closed, frozen, without NaN, and with a reason wherever a value is missing."""

from __future__ import annotations

from typing import Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

T = TypeVar("T")


class Record(BaseModel):
    """A record refuses unknown keys, NaN and infinities, and is never changed after it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Reading(Record, Generic[T]):
    """A value that could not always be had: either the value, or null and the reason."""

    value: T | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) == (self.reason is None):
            msg = "a reading holds a value, or null and a reason: never both, never neither"
            raise ValueError(msg)
        return self
