"""Whole outputs in float32, where plain and speculative decoding should agree token for token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.decoding.generation import collect
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.experiments.clock import clock_for
from speclab.experiments.differences import recomputed, settled_alone
from speclab.experiments.outputs import First, first_difference
from speclab.experiments.randomness import NO_RANDOMNESS
from speclab.experiments.recompute import compute
from speclab.measure.columns import columns
from speclab.records.rows import ArmRow, Float32Output

if TYPE_CHECKING:
    from collections.abc import Generator

    from speclab.decoding.iterations import Finish, Iteration
    from speclab.experiments.protocol import EncodedPrompt
    from speclab.models.load import LoadedPair
    from speclab.records.plan import Device, DivergencePlan
    from speclab.records.rows import ArmName


def compare_whole(pair: LoadedPair, prompt: EncodedPrompt, plan: DivergencePlan, device: Device) -> Float32Output:
    """Generate plain and with a draft, compare, and compute the first difference again where there is one.

    Args:
        pair: Loaded in float32.
        prompt: To continue.
        plan: Proposals per iteration, and new tokens.
        device: Where the pair is.
    """
    common: dict[str, Any] = {
        "sampling": GREEDY,
        "source": NO_RANDOMNESS,
        "max_new_tokens": plan.float32_new_tokens,
        "clock": clock_for(device),
    }
    target = pair.target.model
    draft = DraftModel(pair.draft.model.fork())
    k = plan.float32_k
    one = _arm("plain", 0, plain(target.fork(), prompt.ids, **common))
    other = _arm("draft", k, speculative(target.fork(), draft, prompt.ids, k=k, **common))
    index = first_difference(one.ids, other.ids)
    difference = None
    if index is not None:
        first = First(one, other, index)
        [computed] = compute(target, prompt.ids, [first])
        found = recomputed(prompt.ids, first, computed, "float32", pair.tokenizer.decode)
        difference = settled_alone(found)
    return Float32Output(k=k, new_tokens=len(one.ids), identical=index is None, difference=difference)


def _arm(name: ArmName, k: int, iterations: Generator[Iteration, None, Finish]) -> ArmRow:
    done = collect(iterations)
    return ArmRow(arm=name, k=k, ids=done.ids, iterations=columns(done.iterations), turns=())
