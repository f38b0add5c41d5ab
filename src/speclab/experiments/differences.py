"""A first difference as it is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.experiments.classify import classify
from speclab.experiments.recompute import Computed, gap, noise, spacing
from speclab.models.stream import text_after
from speclab.prompts.encode import ids_sha256
from speclab.records.rows import Difference, Recomputed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclab.experiments.outputs import First
    from speclab.records.plan import Dtype

    Decode = Callable[..., Any]

SAME_DTYPE = "the run itself computes in float32"


def recomputed(
    prompt: Sequence[int], first: First, computed: Computed, dtype: Dtype, decode: Decode
) -> Recomputed:
    """What was found in the dtype of the run, before the rerun in float32.

    Args:
        prompt: Tokens of the prompt.
        first: Where the arm left plain.
        computed: The rows there.
        dtype: What they were computed in.
        decode: The tokenizer's way from ids to text.
    """
    prefix = (*prompt, *first.plain.ids[: first.index])
    plain, arm = first.plain.ids[first.index], first.arm.ids[first.index]
    return Recomputed(
        arm=first.arm.arm,
        k=first.arm.k,
        index=first.index,
        prefix_sha256=ids_sha256(prefix),
        plain_token=plain,
        arm_token=arm,
        plain_text=text_after(decode, prefix, plain),
        arm_text=text_after(decode, prefix, arm),
        gap=gap(computed.ways),
        spacing=spacing(computed.ways, dtype),
        noise=noise(computed.ways),
        row_noise=computed.row_noise,
        ways=computed.ways,
        plain_repeats=computed.plain_repeats,
        arm_repeats=computed.arm_repeats,
    )


def settled(found: Recomputed, float32: Computed | None, reason: str | None = None) -> Difference:
    """The same with its rerun in float32, where there was one (else the reason), and the verdict."""
    ways = () if float32 is None else float32.ways
    own_noise = None if float32 is None else float32.row_noise
    return Difference(
        **dict(found),
        float32=ways,
        float32_noise=own_noise,
        float32_reason=reason,
        verdict=classify(found, ways, own_noise),
    )


def settled_alone(found: Recomputed) -> Difference:
    """The verdict where the run is in float32 already: what was found stands for its own rerun."""
    itself = Computed(found.ways, found.row_noise, found.plain_repeats, found.arm_repeats)
    return settled(found, itself, SAME_DTYPE)
