"""Speed: plain decoding twice and every k, on one prompt, in turns.

`acceptance` and `divergence` read what is generated here: the rows keep every iteration and the ids.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import Sampling
from speclab.errors import InputError
from speclab.experiments.clock import clock_for
from speclab.experiments.protocol import CellJob
from speclab.experiments.randomness import NO_RANDOMNESS, seeded_source
from speclab.measure.disturbance import disturbance, too_few_steps
from speclab.measure.faults import FaultCounter
from speclab.measure.prefilled import prefilled, warm_up
from speclab.measure.surroundings import Lookout
from speclab.measure.turns import Arm, in_turns
from speclab.records.rows import SpeedCell, speed_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclab.decoding.protocols import Clock, Model
    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.records.plan import SamplingPlan, SpeedPlan
    from speclab.records.rows import ArmName


@dataclass(frozen=True, slots=True)
class Block:
    """One prompt in one round under one sampling; `attempt` is 1 where it is measured once more."""

    prompt: EncodedPrompt
    round: int
    sampling: SamplingPlan
    first: int
    """Which arm opens the first turn; another one for each prompt and round."""
    attempt: int = 0

    @property
    def key(self) -> str:
        """Key of the cell that this block becomes."""
        return speed_key(self.prompt.id, self.round, self.attempt, self.sampling)

    @property
    def repeat(self) -> Block:
        """The same block, once more."""
        return replace(self, attempt=1)


class Speed:
    """The experiment. Another clock stands in for a device in tests, another lookout for a busy machine."""

    name = "speed"

    def __init__(self, clock: Clock | None = None, lookout: Callable[[], Lookout] = Lookout) -> None:
        self._clock = clock
        self._lookout = lookout

    def cells(self, session: Session) -> Iterator[CellJob]:
        """All blocks, round by round; then those that were disturbed once more, while the budget lasts."""
        for prompt in session.prompts:
            _require_room(session.pair.target.model, prompt, session.plan.speed)
        plan = session.plan.speed
        blocks = [
            Block(prompt, turn, sampling, first=turn + number + place)
            for turn, (number, prompt), (place, sampling) in product(
                range(plan.rounds), enumerate(session.prompts), enumerate(plan.samplings)
            )
        ]
        for block in blocks:
            yield self._job(session, block)
        for block in blocks:
            measured = session.done[block.key]
            if not isinstance(measured, SpeedCell) or measured.disturbed is None:
                continue
            if block.repeat.key not in session.done and session.budget_left() < _seconds(measured):
                session.say(f"{block.key} stays as it is, no time is left to repeat it: {measured.disturbed}")
                continue
            yield self._job(session, block.repeat)

    def _job(self, session: Session, block: Block) -> CellJob:
        return CellJob(block.key, partial(self._measure, session, block))

    def _measure(self, session: Session, block: Block) -> SpeedCell:
        clock = self._clock or clock_for(session.plan.pair.device)
        pair = session.pair
        cell = measure_block(pair.target.model, pair.draft.model, block, session.plan.speed, clock, self._lookout)
        if cell.disturbed:
            session.say(f"{block.key} is disturbed: {cell.disturbed}")
        return cell


def measure_block(
    target: Model, draft: Model, block: Block, plan: SpeedPlan, clock: Clock, lookout: Callable[[], Lookout]
) -> SpeedCell:
    """Measure one block: prefill each model once, warm every shape, run all arms in turns on copies."""
    prompt = block.prompt.ids
    held_target, prefill_target = prefilled(target, prompt, clock)
    # A draft whose context the prompt does not fit proposes nothing; its cache stays empty.
    held_draft, prefill_draft = prefilled(draft, prompt[: draft.context], clock)
    shapes = range(1, max(plan.ks) + 2)
    warmed = warm_up(held_target, shapes, prompt[-1]) + warm_up(held_draft, shapes, prompt[-1])

    chosen = block.sampling
    sampling = Sampling(temperature=chosen.temperature, top_k=chosen.top_k, top_p=chosen.top_p)

    def arm(name: ArmName, k: int) -> Arm:
        own = held_target.fork()
        # Both plain arms draw the same numbers, so that they do the same work.
        stream = f"speed.{block.prompt.id}.{block.round}.{chosen.name}.{k}"
        common: dict[str, Any] = {
            "sampling": sampling,
            "source": NO_RANDOMNESS if sampling.greedy else seeded_source(held_target, stream),
            "max_new_tokens": plan.new_tokens,
            "clock": clock,
        }
        if not k:
            return Arm(name, k, plain(own, prompt, **common))
        return Arm(name, k, speculative(own, DraftModel(held_draft.fork()), prompt, k=k, **common))

    drafts = [arm("draft", k) for k in plan.ks]
    # The two plain arms stand half the ring apart, so that they differ as any two arms would.
    half = len(drafts) // 2
    ring = [arm("plain", 0), *drafts[:half], arm("plain_again", 0), *drafts[half:]]
    watched, faults = lookout(), FaultCounter()
    rows = in_turns(ring, new_tokens=plan.new_tokens, first=block.first, clock=clock)
    read, around = faults.since(), watched.since()
    return SpeedCell(
        prompt=block.prompt.id,
        kind=block.prompt.kind,
        round=block.round,
        attempt=block.attempt,
        sampling=chosen,
        prompt_tokens=len(prompt),
        warm_up_passes=warmed,
        major_faults=read,
        surroundings=around,
        prefill_target_ns=prefill_target,
        prefill_draft_ns=prefill_draft,
        arms=rows,
        disturbed=disturbance(rows, around),
        unjudged=too_few_steps(rows),
    )


def _require_room(target: Model, prompt: EncodedPrompt, plan: SpeedPlan) -> None:
    needed = len(prompt.ids) + plan.new_tokens
    if needed > target.context:
        msg = (
            f"prompt {prompt.id} holds {len(prompt.ids)} tokens, and {plan.new_tokens} new ones would exceed "
            f"the target's context of {target.context}: shorten the prompt or ask for fewer new tokens"
        )
        raise InputError(msg)


def _seconds(cell: SpeedCell) -> float:
    """What a repeat of this block takes, about."""
    spent = cell.prefill_target_ns + cell.prefill_draft_ns + sum(arm.decode_ns for arm in cell.arms)
    return spent / 1e9
