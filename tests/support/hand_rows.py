"""Rows small enough to work out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.reader import Run
from speclab.records.rows import ArmRow, IterationColumns, PassTime, Results, SpeedCell, TimingCell, Turn
from synthetic import synthetic_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclab.records.rows import ArmName, Cell


def run_of(*cells: Cell) -> Run:
    """A run that holds these cells and no others."""
    record, _ = synthetic_run("by-hand")
    return Run(record, Results(run="by-hand", cells=cells))


def arm(
    name: ArmName,
    k: int,
    nanoseconds: int,
    accepted: Sequence[int],
    *,
    draft_ns: int = 0,
    verify_ns: int = 0,
    accept_ns: int = 0,
    cut: Sequence[int] = (),
) -> ArmRow:
    """An arm from the accepted counts of its iterations; the times are those of each iteration.

    Args:
        name: The arm.
        k: Proposals in each iteration.
        nanoseconds: Decode time of the whole arm.
        accepted: Leading proposals that stood, an iteration each.
        draft_ns: Of every iteration.
        verify_ns: Of every iteration.
        accept_ns: Of every iteration.
        cut: Indices of iterations that are not complete.
    """
    n = len(accepted)
    tokens = sum(accepted) + n
    columns = IterationColumns(
        proposals=tuple((7,) * k for _ in accepted),
        proposed=(k,) * n,
        accepted=tuple(accepted),
        committed=tuple(each + 1 for each in accepted),
        complete=tuple(index not in cut for index in range(n)),
        draft_ns=(draft_ns,) * n,
        verify_ns=(verify_ns,) * n,
        accept_ns=(accept_ns,) * n,
        rollback_ns=(0,) * n,
        other_ns=(0,) * n,
    )
    turn = Turn(turn=1, place=0, nanoseconds=nanoseconds, committed=tokens)
    return ArmRow(arm=name, k=k, ids=tuple(range(tokens)), iterations=columns, turns=(turn,))


def block(
    prompt: str,
    *arms: ArmRow,
    plain: tuple[int, int] = (100, 100),
    turn: int = 0,
    attempt: int = 0,
    prefill: tuple[int, int] = (0, 0),
    disturbed: str | None = None,
) -> SpeedCell:
    """A block of the prompt `kind-number`: plain twice with the decode times given, and these arms."""
    tokens = len(arms[0].ids) if arms else 1
    plains = (arm("plain", 0, plain[0], (0,) * tokens), arm("plain_again", 0, plain[1], (0,) * tokens))
    return SpeedCell(
        prompt=prompt,
        kind=prompt.rsplit("-", 1)[0],
        round=turn,
        attempt=attempt,
        prompt_tokens=5,
        prefill_target_ns=prefill[0],
        prefill_draft_ns=prefill[1],
        arms=(*plains, *arms),
        disturbed=disturbed,
    )


def simple_block(prompt: str, plain: int, times: Mapping[int, int], *, turn: int = 0) -> SpeedCell:
    """A block where only decode times matter: of plain, and of the draft at each k."""
    return block(
        prompt, *(arm("draft", k, each, (0,)) for k, each in times.items()), plain=(plain, plain), turn=turn
    )


def cycle(number: int, target: Mapping[int, int], draft: Mapping[int, int]) -> TimingCell:
    """A cycle with these times in nanoseconds, by pass length."""
    passes = [PassTime(model="target", tokens=n, nanoseconds=ns, place=0) for n, ns in target.items()]
    passes += [PassTime(model="draft", tokens=n, nanoseconds=ns, place=0) for n, ns in draft.items()]
    return TimingCell(round=number, context_tokens=5, passes=tuple(passes))
