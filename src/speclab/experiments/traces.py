"""Traces: generations of `speed` that a reader can play back, one of a kind of text.

Nothing is generated here. The block was measured; only how its tokens read is added, while the tokenizer is there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.protocol import CellJob
from speclab.models.pieces import token_pieces
from speclab.records.rows import Piece, SpeedCell, TraceCell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.records.arms import ArmRow

PROMPT_TOKENS = 48
"""Of the prompt's end: enough to read on from."""


class Traces:
    """The experiment."""

    name = "traces"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One job for the first prompt of each kind that the plan names and the run has."""
        plan = session.plan.traces
        kinds = () if plan is None else plan.kinds
        for kind in kinds:
            prompt = next((each for each in session.prompts if each.kind == kind), None)
            if prompt is not None:
                yield CellJob(f"traces.{prompt.id}", partial(_trace, session, prompt))


def _trace(session: Session, prompt: EncodedPrompt) -> TraceCell:
    block = _block(session, prompt)
    plain = next(arm for arm in block.arms if arm.arm == "plain")
    arm = _arm(session, block)
    end = prompt.ids[-PROMPT_TOKENS:]
    proposed = {token for tokens in arm.iterations.proposals for token in tokens}
    tokens = sorted({*end, *plain.ids, *arm.ids} | proposed)
    return TraceCell(
        block=block.key,
        prompt=prompt.id,
        kind=prompt.kind,
        k=arm.k,
        prompt_end=end,
        pieces=tuple(
            Piece(token=token, text=text)
            for token, text in zip(tokens, token_pieces(session.pair.tokenizer, tokens), strict=True)
        ),
    )


def _block(session: Session, prompt: EncodedPrompt) -> SpeedCell:
    """The block of the first round under the first sampling that counts: the last attempt."""
    sampling = session.plan.speed.samplings[0]
    found = [
        cell
        for cell in session.done.values()
        if isinstance(cell, SpeedCell) and (cell.prompt, cell.round, cell.sampling) == (prompt.id, 0, sampling)
    ]
    if not found:
        msg = f"there is no block of {prompt.id} to trace: measure speed and traces together"
        raise InputError(msg)
    return max(found, key=lambda cell: cell.attempt)


def _arm(session: Session, block: SpeedCell) -> ArmRow:
    """The arm at the plan's k; where other k were asked for, at the largest of those."""
    plan = session.plan.traces
    arms = {arm.k: arm for arm in block.arms if arm.arm == "draft"}
    return arms[plan.k] if plan is not None and plan.k in arms else arms[max(arms)]
