"""What one arm of a block did: its tokens, its iterations and its turns."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from speclab.records.base import Record

ArmName: TypeAlias = Literal["plain", "plain_again", "draft"]


class IterationColumns(Record):
    """The iterations of one arm, in order, a column a quantity (lists of equal length)."""

    proposals: tuple[tuple[int, ...], ...]
    """The proposed tokens themselves, the refused ones too: what was fed, so that the passes can be replayed."""
    proposed: tuple[int, ...]
    accepted: tuple[int, ...]
    committed: tuple[int, ...]
    complete: tuple[bool, ...]
    draft_ns: tuple[int, ...]
    verify_ns: tuple[int, ...]
    accept_ns: tuple[int, ...]
    rollback_ns: tuple[int, ...]
    other_ns: tuple[int, ...]

    @model_validator(mode="after")
    def _equal_lengths(self) -> Self:
        lengths = {name: len(getattr(self, name)) for name in type(self).model_fields}
        if len(set(lengths.values())) > 1:
            msg = f"columns of one arm differ in length: {lengths}"
            raise ValueError(msg)
        if self.proposed != tuple(len(tokens) for tokens in self.proposals):
            msg = "the counts of proposed tokens are not those of the proposals"
            raise ValueError(msg)
        return self

    def __len__(self) -> int:
        return len(self.proposed)


class Turn(Record):
    """One turn of an arm: its place in the rotation, its wall time between synchronisations, its tokens."""

    turn: int
    place: int
    nanoseconds: int
    committed: int


class ArmRow(Record):
    """What one arm did in one block."""

    arm: ArmName
    k: int
    ids: tuple[int, ...]
    iterations: IterationColumns
    turns: tuple[Turn, ...]

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if sum(self.iterations.committed) != len(self.ids):
            counted = sum(self.iterations.committed)
            msg = f"arm {self.arm} k={self.k}: {counted} tokens committed, {len(self.ids)} in the output"
            raise ValueError(msg)
        return self

    @property
    def decode_ns(self) -> int:
        """Decode time: the turns together."""
        return sum(turn.nanoseconds for turn in self.turns)
