"""A recorded generation, iteration by iteration: what was proposed and kept, both caches, both clocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.evidence.estimates.blocks import arm_of
from speclab.records.rows import SpeedCell, TraceCell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclab.records.arms import ArmRow
    from speclab.records.reader import Run


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration.

    Attributes:
        guesses: What the draft proposed, in order.
        kept: How many of them stand.
        own: The target's own token behind them; None where the output ended before it.
        caches: Tokens in the target's cache and in the draft's: before, once all guesses were made, after the
            check, and once both were cut back.
        clocks: Milliseconds of this arm since its first iteration began: before, once all guesses were made, after
            the check, and at the end. The times are of these parts as a whole; of a single guess none was taken.
        plain: Milliseconds that plain decoding took for as many tokens as stand at the end of this iteration.
    """

    guesses: tuple[str, ...]
    kept: int
    own: str | None
    caches: tuple[tuple[int, int], ...]
    clocks: tuple[float, ...]
    plain: float

    @property
    def committed(self) -> int:
        """Tokens that it wrote."""
        return self.kept + (self.own is not None)


@dataclass(frozen=True, slots=True)
class Recording:
    """One generation beside plain decoding of the same prompt.

    Attributes:
        kind: Of the prompt.
        prompt: Its id.
        k: Proposals asked for in an iteration.
        prompt_end: The prompt's last tokens, as they read.
        steps: The iterations.
    """

    kind: str
    prompt: str
    k: int
    prompt_end: tuple[str, ...]
    steps: tuple[Step, ...]


def recordings(run: Run) -> tuple[Recording, ...]:
    """Every generation of a run that can be played back.

    Raises:
        InputError: When it recorded none, or a block is missing.
    """
    traces = [cell for cell in run.results.cells if isinstance(cell, TraceCell)]
    if not traces:
        msg = f"run {run.record.id} recorded no generation to play back: its plan has no part `traces`"
        raise InputError(msg)
    blocks = {cell.key: cell for cell in run.results.cells if isinstance(cell, SpeedCell)}
    return tuple(_recording(trace, blocks, run.record.id) for trace in traces)


def _recording(trace: TraceCell, blocks: dict[str, SpeedCell], run_id: str) -> Recording:
    if trace.block not in blocks:
        msg = f"run {run_id}: the trace of {trace.prompt} is of a block that it does not hold: {trace.block}"
        raise InputError(msg)
    block = blocks[trace.block]
    texts = {each.token: each.text for each in trace.pieces}
    arm, plain = arm_of(block, "draft", trace.k), arm_of(block, "plain", 0)
    return Recording(
        kind=trace.kind,
        prompt=trace.prompt,
        k=trace.k,
        prompt_end=tuple(_read(texts, trace.prompt_end)),
        steps=_steps(block.prompt_tokens, arm, _plain_ms(plain), texts),
    )


def _plain_ms(plain: ArmRow) -> list[float]:
    """Milliseconds after each token of plain decoding; the first entry is before any."""
    columns = plain.iterations
    each = zip(
        columns.draft_ns, columns.verify_ns, columns.accept_ns, columns.rollback_ns, columns.other_ns, strict=True
    )
    return [0.0, *(total / 1e6 for total in accumulate(sum(parts) for parts in each))]


def _steps(prompt_tokens: int, arm: ArmRow, plain: list[float], texts: dict[int, str]) -> tuple[Step, ...]:
    columns = arm.iterations
    steps = []
    text, draft, clock, written = prompt_tokens, prompt_tokens - 1, 0.0, 0
    for index, proposals in enumerate(columns.proposals):
        kept, committed = columns.accepted[index], columns.committed[index]
        made = arm.ids[written : written + committed]
        # To guess, the draft takes in what it lacks of the text and each guess but the last.
        guessed = text + len(proposals) - 1 if proposals else draft
        after = text + committed
        caches = (
            (text - 1, draft),
            (text - 1, guessed),
            (text + len(proposals), guessed),
            (after - 1, min(guessed, after - 1)),
        )
        parts = (
            columns.draft_ns[index],
            columns.verify_ns[index] + columns.accept_ns[index],
            columns.rollback_ns[index] + columns.other_ns[index],
        )
        clocks = tuple(accumulate((part / 1e6 for part in parts), initial=clock))
        written += committed
        stand = min(kept, committed)
        steps.append(
            Step(
                guesses=tuple(_read(texts, proposals)),
                kept=stand,
                own=next(_read(texts, made[-1:])) if committed > stand else None,
                caches=caches,
                clocks=clocks,
                plain=plain[min(written, len(plain) - 1)],
            )
        )
        text, draft, clock = after, caches[-1][1], clocks[-1]
    return tuple(steps)


def _read(texts: dict[int, str], tokens: Iterable[int]) -> Iterator[str]:
    """How tokens read; one that the trace has no words for by its number."""
    return (texts.get(token, f"<{token}>") for token in tokens)
