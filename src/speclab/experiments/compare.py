"""One prompt, plain against speculative, in turns: what `speclab generate --compare` shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.measure.prefilled import prefilled, warm_up
from speclab.measure.turns import Arm, in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.decoding.protocols import Clock, Model, RandomSource
    from speclab.decoding.sampling import Sampling
    from speclab.records.arms import ArmName


@dataclass(frozen=True, slots=True)
class Compared:
    """Decode times of one prompt, over the same number of tokens.

    Attributes:
        tokens: New tokens of each arm.
        plain_ns: Decode times of the two plain arms.
        speculative_ns: Decode time of the speculative arm.
    """

    tokens: int
    plain_ns: tuple[int, int]
    speculative_ns: int

    @property
    def speedup(self) -> float:
        """Plain's decode time (geometric mean of the two arms) over the speculative one."""
        return math.sqrt(self.plain_ns[0] * self.plain_ns[1]) / self.speculative_ns

    @property
    def noise(self) -> float:
        """One plain arm over the other: how far from 1 a ratio lies here when nothing differs."""
        return self.plain_ns[0] / self.plain_ns[1]

    @property
    def plain_tokens_per_second(self) -> float:
        """The absolute baseline."""
        return self.tokens / (math.sqrt(self.plain_ns[0] * self.plain_ns[1]) * 1e-9)


def compare(
    target: Model,
    draft: Model,
    prompt: Sequence[int],
    *,
    k: int,
    sampling: Sampling,
    source: Callable[[], RandomSource],
    new_tokens: int,
    clock: Clock,
) -> Compared:
    """Time plain decoding twice and speculation once, in turns and from one prefill.

    Args:
        target: With an empty cache.
        draft: With an empty cache.
        prompt: Tokens.
        k: Tokens to propose in an iteration.
        sampling: The same for all arms.
        source: Makes a source of randomness for an arm.
        new_tokens: Tokens that each arm commits; end-of-text ids do not stop it.
        clock: Of the device that computes.
    """
    base, _ = prefilled(target, prompt, clock)
    guess, _ = prefilled(draft, prompt, clock)
    warm_up(base, range(1, k + 2), prompt[-1])
    warm_up(guess, (1, 2), prompt[-1])

    def arm(name: ArmName, k: int) -> Arm:
        proposer = DraftModel(guess) if k else None
        iterations = speculative(
            base.fork(),
            proposer,
            prompt,
            k=k,
            sampling=sampling,
            source=source(),
            max_new_tokens=new_tokens,
            clock=clock,
        )
        return Arm(name, k, iterations)

    arms = (arm("plain", 0), arm("draft", k), arm("plain_again", 0))
    first, drafted, second = in_turns(arms, new_tokens=new_tokens, first=0, clock=clock)
    return Compared(new_tokens, (first.decode_ns, second.decode_ns), drafted.decode_ns)
