"""What a pass costs here: timed before a run, in the dtype of the run, and from that in float32."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Model
    from speclab.records.plan import Dtype

CONTEXT_TOKENS = 64
CHECKED = 9
"""Tokens of the check that is judged: eight proposals and the pending token."""
SLOW_CHECK = 5.0
"""Steps that such a check may take; where it takes more, no draft is good enough to pay."""


@dataclass(frozen=True, slots=True)
class Passes:
    """Seconds of a pass over n tokens, from two timed lengths: a line between them and beyond."""

    one: float
    many: float
    length: int

    def __call__(self, tokens: float) -> float:
        """Seconds of a pass over that many tokens."""
        return self.one + (self.many - self.one) * (tokens - 1) / (self.length - 1)


@dataclass(frozen=True, slots=True)
class Pace:
    """The passes of both models in one dtype."""

    target: Passes
    draft: Passes


def probe(
    model: Model,
    ids: Sequence[int],
    longest: int,
    clock: Callable[[], float] = time.perf_counter,
    *,
    last: int | None = None,
) -> Passes:
    """Time a pass over one token and over `longest`, after some context; the first pass of each warms it.

    Args:
        model: With an empty cache; left as it is.
        ids: Any tokens.
        longest: At least 2.
        clock: Seconds.
        last: Rows that are computed: all, as a check needs them, or 1, as a draft does.
    """
    own = model.fork()
    longest = min(longest, own.context // 2)
    context = min(CONTEXT_TOKENS, own.context - longest)
    stream = [ids[place % len(ids)] for place in range(context + longest)]
    own.feed(stream[:context], last=1)

    def seconds(tokens: int) -> float:
        start = clock()
        # Reading one number waits for a device that works on its own.
        float(own.feed(stream[:tokens], last=last)[-1][0])
        spent = clock() - start
        own.rollback(context)
        return spent

    times = {tokens: sorted(seconds(tokens) for _ in range(4))[1] for tokens in (1, longest)}
    return Passes(times[1], times[longest], longest)


def in_float32(model: Model, passes: Passes) -> Passes:
    """The same passes in float32, as its matrix products tell: to load the model for it would take longer.

    Which dtype is faster hangs on the instructions of the processor and on the number of rows, so both lengths are
    scaled by a ratio of their own. A model without torch computes in one dtype alone.
    """
    if getattr(model, "device", None) is None:
        return passes
    from speclab.backends.hf.pace import float32_ratio  # noqa: PLC0415 - torch, which a table does without

    one, many = (float32_ratio(model, rows) for rows in (1, passes.length))  # type: ignore[arg-type]
    return Passes(passes.one * one, passes.many * many, passes.length)


def slow_check(target: Passes, dtype: Dtype) -> str | None:
    """What to tell where a check costs nearly as many steps as it has tokens, or None."""
    ratio = target(CHECKED) / target(1)
    if ratio <= SLOW_CHECK:
        return None
    other = "" if dtype == "float32" else "--dtype float32 or "
    return (
        f"a pass of the target over {CHECKED} tokens takes as long as {ratio:.1f} over one: this processor has no "
        f"fast matrix product in {dtype} over several rows, so a check of n tokens costs about n steps and "
        f"guessing cannot pay; try {other}another machine"
    )
