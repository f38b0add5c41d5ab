"""Divergence: where an arm's greedy output leaves plain's, and why.

The outputs are those that `speed` generated. Each first difference is computed again in the dtype of the run,
prompt by prompt. Then the pair is loaded once in float32, where all are computed once more and classified.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.differences import SAME_DTYPE, recomputed, settled, settled_alone
from speclab.experiments.outputs import compare
from speclab.experiments.protocol import CellJob
from speclab.experiments.recompute import compute
from speclab.experiments.selection import first_of_each_kind
from speclab.experiments.whole import compare_whole
from speclab.records.base import Reading
from speclab.records.rows import DivergenceCell, RecomputedCell, SpeedCell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.experiments.outputs import First
    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.models.load import LoadedPair
    from speclab.records.rows import Difference, Float32Output


class Divergence:
    """The experiment. It comes after all that need the pair in the dtype of the run."""

    name = "divergence"

    def __init__(self) -> None:
        self._refusal: str | None = None
        """Why the pair could not be loaded in float32, once that was tried."""

    def cells(self, session: Session) -> Iterator[CellJob]:
        """Every prompt in the dtype of the run, then every prompt in float32: the pair is reloaded once."""
        measured = [(prompt, _blocks(session, prompt)) for prompt in session.prompts]
        measured = [(prompt, blocks) for prompt, blocks in measured if blocks]
        if not measured:
            msg = "divergence compares what `speed` generated, and this run holds none of it: measure speed first"
            raise InputError(msg)
        for prompt, blocks in measured:
            yield CellJob(f"recomputed.{prompt.id}", partial(_recompute, session, prompt, blocks))
        per_kind = session.plan.divergence.float32_prompts_per_kind
        whole = {prompt.id for prompt in first_of_each_kind(session.prompts, per_kind)}
        for prompt, blocks in measured:
            settle = partial(self._settle, session, prompt, blocks, whole=prompt.id in whole)
            yield CellJob(f"divergence.{prompt.id}", settle)

    def _settle(
        self, session: Session, prompt: EncodedPrompt, blocks: list[SpeedCell], *, whole: bool
    ) -> DivergenceCell:
        found = session.done[f"recomputed.{prompt.id}"]
        if not isinstance(found, RecomputedCell):
            msg = f"{found.key} is a cell of {found.experiment}"
            raise TypeError(msg)
        differences: tuple[Difference, ...]
        if session.plan.pair.dtype == "float32":
            differences = tuple(settled_alone(each) for each in found.differences)
        else:
            differences = self._settled(session, prompt, found, compare(blocks).firsts)
        return DivergenceCell(
            prompt=prompt.id,
            kind=prompt.kind,
            comparisons=found.comparisons,
            changed=found.changed,
            differences=differences,
            float32_output=self._whole(session, prompt, wanted=whole),
        )

    def _settled(
        self, session: Session, prompt: EncodedPrompt, found: RecomputedCell, firsts: tuple[First, ...]
    ) -> tuple[Difference, ...]:
        if not firsts:
            return ()
        pair = self._float32(session)
        if pair is None:
            return tuple(settled(each, None, self._refusal) for each in found.differences)
        again = compute(pair.target.model, prompt.ids, firsts)
        return tuple(settled(each, exact, None) for each, exact in zip(found.differences, again, strict=True))

    def _whole(self, session: Session, prompt: EncodedPrompt, *, wanted: bool) -> Reading[Float32Output]:
        if not wanted:
            return Reading(reason="not asked for")
        if session.plan.pair.dtype == "float32":
            return Reading(reason=SAME_DTYPE)
        if session.budget_left() < 0:
            return Reading(reason="the plan's time was spent")
        pair = self._float32(session)
        if pair is None:
            return Reading(reason=self._refusal)
        return Reading(value=compare_whole(pair, prompt, session.plan.divergence, session.plan.pair.device))

    def _float32(self, session: Session) -> LoadedPair | None:
        """The pair in float32, or None with the reason kept: a machine without room for it is no failed run."""
        if self._refusal is None:
            try:
                return session.reload("float32")
            except InputError as error:
                self._refusal = str(error)
                session.say(f"no rerun in float32: {error}")
        return None


def _blocks(session: Session, prompt: EncodedPrompt) -> list[SpeedCell]:
    """The greedy blocks of a prompt, in the order they were measured: of sampled texts only the law is equal."""
    there = [each for each in session.done.values() if isinstance(each, SpeedCell) and each.prompt == prompt.id]
    return [each for each in there if not each.sampling.temperature]


def _recompute(session: Session, prompt: EncodedPrompt, blocks: list[SpeedCell]) -> RecomputedCell:
    outputs = compare(blocks)
    pair = session.pair
    computed = compute(pair.target.model, prompt.ids, outputs.firsts)
    return RecomputedCell(
        prompt=prompt.id,
        kind=prompt.kind,
        comparisons=outputs.comparisons,
        changed=outputs.changed,
        differences=tuple(
            recomputed(prompt.ids, first, each, session.plan.pair.dtype, pair.tokenizer.decode)
            for first, each in zip(outputs.firsts, computed, strict=True)
        ),
    )
