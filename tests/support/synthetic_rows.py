"""Rows of a run that never took place: a seeded simulation whose every row could have been measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.records.plan import SamplingPlan
from speclab.records.rows import (
    ArmRow,
    IterationColumns,
    PassTime,
    Piece,
    SpeedCell,
    TimingCell,
    TraceCell,
    Turn,
)

if TYPE_CHECKING:
    import random

    from speclab.records.plan import Plan
    from speclab.records.rows import (
        ArmName,
        ModelRole,
    )

MS = 1_000_000
TARGET_MS = 190.0
DRAFT_MS = 75.0
ALPHA = {"prose": 0.74, "code": 0.93, "repetitive": 0.96, "json": 0.88, "copying": 0.95, "chat": 0.80}
REFUSED = 600
"""How far a refused proposal lies from the token that takes its place."""
DIFFERING = "chat"
"""The kind whose first prompt differs from plain at the largest k, by a tie."""


def pass_ms(base: float, tokens: int) -> float:
    """Simulated time of a pass: flat at first, then bent by arithmetic."""
    return base * (1 + 0.02 * (tokens - 1) + 0.0004 * (tokens - 1) ** 2)


@dataclass(frozen=True)
class Speeds:
    """The simulated machine: `slow` multiplies every draft step, `noise` is relative."""

    dice: random.Random
    slow: float
    noise: float = 0.005

    def target(self, tokens: int) -> int:
        """Nanoseconds of one target pass."""
        return self._jitter(pass_ms(TARGET_MS, tokens))

    def draft(self, tokens: int) -> int:
        """Nanoseconds of one draft pass."""
        return self._jitter(self.slow * pass_ms(DRAFT_MS, tokens))

    def small(self, milliseconds: float) -> int:
        """Nanoseconds of some bookkeeping."""
        return self._jitter(milliseconds)

    def _jitter(self, milliseconds: float) -> int:
        return round(milliseconds * MS * self.dice.gauss(1, self.noise))


def timing_cells(plan: Plan, speeds: Speeds) -> list[TimingCell]:
    """Cycles over every length of both models, the order rotated."""
    models: tuple[ModelRole, ...] = ("target", "draft")
    stops = [(model, n) for model in models for n in plan.timing.lengths]
    cells = []
    for cycle in range(plan.timing.cycles):
        turned = stops[cycle % len(stops) :] + stops[: cycle % len(stops)]
        passes = tuple(
            PassTime(
                model=model,
                tokens=n,
                nanoseconds=speeds.target(n) if model == "target" else speeds.draft(n),
                place=place,
            )
            for place, (model, n) in enumerate(turned)
        )
        cells.append(TimingCell(round=cycle, context_tokens=plan.timing.context_tokens, passes=passes))
    return cells


def _arm(arm: ArmName, k: int, ids: tuple[int, ...], alpha: float, speeds: Speeds) -> ArmRow:
    rows: list[tuple[object, ...]] = []
    turns: list[Turn] = []
    done = 0
    while done < len(ids):
        spent, before = 0, done
        while done < len(ids) and done < 4 * (len(turns) + 1):
            room = min(k, len(ids) - done - 1)
            accepted = 0
            while accepted < room and speeds.dice.random() < alpha:
                accepted += 1
            proposals = tuple(ids[done + i] + (REFUSED if i >= accepted else 0) for i in range(room))
            times = (
                sum(speeds.draft(1) for _ in range(room)),
                speeds.target(room + 1),
                speeds.small(0.4),
                speeds.small(0.1),
                speeds.small(0.05),
            )
            rows.append((proposals, room, accepted, accepted + 1, room == k, *times))
            done += accepted + 1
            spent += sum(times)
        turns.append(Turn(turn=len(turns) + 1, place=0, nanoseconds=spent + 20_000, committed=done - before))
    names = IterationColumns.model_fields
    columns = IterationColumns.model_validate(dict(zip(names, zip(*rows, strict=True), strict=True)))
    return ArmRow(arm=arm, k=k, ids=ids, iterations=columns, turns=tuple(turns))


def outputs(kind: str, number: int, k: int, ks: tuple[int, ...], tokens: int) -> tuple[int, ...]:
    """The ids an arm commits: the same for every arm, but for one planted tie."""
    ids = [10 + (number * 31 + len(kind) * 7 + i * 13) % 500 for i in range(tokens)]
    if kind == DIFFERING and number == 1 and k == max(ks):
        ids[tokens // 3 :] = [each + 1 for each in ids[tokens // 3 :]]
    return tuple(ids)


def speed_cell(
    plan: Plan, kind: str, number: int, turn: int, speeds: Speeds, sampling: SamplingPlan | None = None
) -> SpeedCell:
    """One block under one sampling: plain twice and every k."""
    alpha = min(0.99, ALPHA[kind] + 0.02 * (number - 1) * (-1) ** number)
    arms: list[tuple[ArmName, int]] = [("plain", 0), ("plain_again", 0), *(("draft", k) for k in plan.speed.ks)]
    rows = tuple(
        _arm(arm, k, outputs(kind, number, k, plan.speed.ks, plan.speed.new_tokens), alpha, speeds)
        for arm, k in arms
    )
    return SpeedCell(
        prompt=f"{kind}-{number}",
        kind=kind,
        round=turn,
        sampling=sampling or SamplingPlan(),
        prompt_tokens=60,
        prefill_target_ns=speeds.small(900),
        prefill_draft_ns=speeds.small(320),
        arms=rows,
    )


def trace_cell(plan: Plan, kind: str) -> TraceCell:
    """The words to the first block of a kind; each token reads as its number."""
    block = next(name for name in plan.prompts if name.rsplit("-", 1)[0] == kind)
    k = max(plan.speed.ks)
    ids = {
        *outputs(kind, 1, 0, plan.speed.ks, plan.speed.new_tokens),
        *outputs(kind, 1, k, plan.speed.ks, plan.speed.new_tokens),
    }
    ids |= {each + REFUSED for each in ids}
    return TraceCell(
        block=f"speed.{block}.r0.a0",
        prompt=block,
        kind=kind,
        k=k,
        prompt_end=(1, 2),
        pieces=tuple(Piece(token=token, text=f"<{token}>") for token in sorted(ids | {1, 2})),
    )
