"""Margins: in float32, how close the two likeliest tokens are, and what the shape of a pass changes.

On the draft, the smaller of the two. It decodes each text greedily with one token a pass. Then, after the same
prefill, the same tokens are fed in passes of other lengths, and each row is compared with the one that decided.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from speclab.decoding.prefill import prefill
from speclab.errors import InputError
from speclab.experiments.constructed import constructed_tie
from speclab.experiments.leaders import leaders
from speclab.experiments.protocol import CellJob
from speclab.experiments.recompute import spacing_at
from speclab.experiments.selection import first_of_each_kind
from speclab.models.stream import text_after
from speclab.records.rows import MarginsCell, ShapeChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from speclab.decoding.protocols import Model, Rows
    from speclab.experiments.leaders import Leaders
    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.records.plan import MarginsPlan


class Margins:
    """The experiment. It loads the pair in float32, so it comes last."""

    name = "margins"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One cell a prompt; none where the plan does not ask for them, or float32 does not fit."""
        plan = session.plan.margins
        if plan is None:
            return
        for prompt in first_of_each_kind(session.prompts, plan.prompts_per_kind):
            key = f"margins.{prompt.id}"
            if key not in session.done and not _float32_fits(session):
                return
            yield CellJob(key, partial(_measure, session, prompt, plan))


def _float32_fits(session: Session) -> bool:
    """Whether the pair can be had in float32: a machine without room for it is no failed run."""
    try:
        session.reload("float32")
    except InputError as error:
        session.say(f"no margins: {error}")
        return False
    return True


def _measure(session: Session, prompt: EncodedPrompt, plan: MarginsPlan) -> MarginsCell:
    started = time.perf_counter_ns()
    pair = session.reload("float32")
    base = pair.draft.model.fork()
    _require_room(base, prompt, plan)
    prefill(base, prompt.ids)
    rows, ids = _decoded(base.fork(), prompt.ids[-1], plan.new_tokens)
    fed = (prompt.ids[-1], *ids[:-1])
    again = {length: _passed(base.fork(), fed, length) for length in plan.lengths}
    pairs = [leaders(row) for row in rows]
    decode: Callable[..., Any] = pair.tokenizer.decode

    def text(row: int, token: int) -> str:
        return text_after(decode, (*prompt.ids, *ids[:row]), token)

    return MarginsCell(
        prompt=prompt.id,
        kind=prompt.kind,
        prompt_tokens=len(prompt.ids),
        gaps=tuple(both.gap(row) for both, row in zip(pairs, rows, strict=True)),
        spacing=spacing_at(max(both.largest(row) for both, row in zip(pairs, rows, strict=True)), "float32"),
        shapes=tuple(_change(length, pairs, rows, others) for length, others in again.items()),
        constructed=constructed_tie(pairs, rows, again, text),
        nanoseconds=time.perf_counter_ns() - started,
    )


def _require_room(model: Model, prompt: EncodedPrompt, plan: MarginsPlan) -> None:
    needed = len(prompt.ids) + plan.new_tokens
    if needed > model.context:
        msg = (
            f"prompt {prompt.id} holds {len(prompt.ids)} tokens, and {plan.new_tokens} new ones would exceed the "
            f"draft's context of {model.context}: shorten the prompt or ask for fewer new tokens"
        )
        raise InputError(msg)


def _decoded(model: Model, pending: int, new_tokens: int) -> tuple[list[Rows], tuple[int, ...]]:
    """The rows that decide the new tokens, one token a pass, and these tokens."""
    rows: list[Rows] = []
    ids = [pending]
    for _ in range(new_tokens):
        rows.append(model.feed(ids[-1:])[0])
        ids.append(int(rows[-1].argmax(-1)))
    return rows, tuple(ids[1:])


def _passed(model: Model, fed: Sequence[int], length: int) -> list[Rows]:
    """The rows of the same tokens in passes of `length`; the last pass takes what is left."""
    return [row for start in range(0, len(fed), length) for row in model.feed(fed[start : start + length])]


def _change(length: int, pairs: Sequence[Leaders], rows: Sequence[Rows], others: Sequence[Rows]) -> ShapeChange:
    matched = list(zip(pairs, rows, others, strict=True))
    return ShapeChange(
        length=length,
        largest_logit_change=max(float(abs(other - row).max()) for _, row, other in matched),
        gap_changes=tuple(both.gap(other) - both.gap(row) for both, row, other in matched),
        flips=sum(int(other.argmax(-1)) != both.first for both, _, other in matched),
    )
