"""Generate in one call: wrap the models, take in the prompt, run the loop to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from speclab.backends.table import NumpySource
from speclab.decoding.clock import WALL_CLOCK
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.prefill import prefill
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.rules import accept_sample
from speclab.decoding.sampling import GREEDY
from speclab.decoding.stops import stop_at
from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.decoding.generation import Generation
    from speclab.decoding.protocols import Clock, Model, RandomSource
    from speclab.decoding.rules import SampleRule
    from speclab.decoding.sampling import Sampling

Ids: TypeAlias = Any
"""Token ids: integers in a sequence, or a tensor of shape [tokens] or [1, tokens]."""
StopTokens: TypeAlias = int | Iterable[int] | Literal["model"] | None
"""Ids that end the output: an integer, or several in a sequence or tensor; None for none, "model" for those that a
transformers model's generation_config names."""


def speculative_generate(
    target: object,
    draft: object,
    prompt: Ids,
    *,
    k: int = 4,
    sampling: Sampling = GREEDY,
    draft_sampling: Sampling | None = None,
    rule: SampleRule = accept_sample,
    seed: int = 0,
    source: RandomSource | None = None,
    stop: StopTokens = "model",
    max_new_tokens: int = 128,
    vocabulary: int | None = None,
) -> Generation:
    """Generate with a draft model's proposals; the output follows the target alone.

    Args:
        target: A transformers model, or anything that is a `speclab.decoding.protocols.Model`. One of the latter
            is used up: its cache must be empty or hold the prompt but its last token.
        draft: The same, for the model that guesses.
        prompt: At least one token.
        k: Tokens to propose in an iteration; at 0 the draft is not used.
        sampling: How laws are made from logits; the likeliest token is taken where it is not given.
        draft_sampling: The draft's own, where it is not to be the target's; the output follows the target all the
            same. Under `GREEDY` the draft chooses its likeliest token.
        rule: Which proposals stand where the sampling is not greedy.
        seed: Of every random decision.
        source: Makes them in the place of one that is made from the seed. With `PositionSource`, `GREEDY` proposals
            and `accept_own_draw` the output is that of `plain_generate` with the same source, token for token.
        stop: What ends the output.
        max_new_tokens: Tokens to generate at most.
        vocabulary: Number of real token ids, where the models' outputs hold padding too.

    Raises:
        InputError: When the models do not fit together, or an argument cannot be used.
        LogitsError: When the target's logits cannot decide a token.
    """
    guessing = _model(draft, vocabulary)
    checking = _model(target, vocabulary)
    if guessing is checking:
        guessing = checking.fork()  # each needs a cache of its own
    _require_pair(checking, guessing)
    proposer = DraftModel(guessing, draft_sampling) if k else None
    return _generate(checking, proposer, prompt, k, sampling, rule, source, seed, stop, max_new_tokens)


def plain_generate(
    target: object,
    prompt: Ids,
    *,
    sampling: Sampling = GREEDY,
    seed: int = 0,
    source: RandomSource | None = None,
    stop: StopTokens = "model",
    max_new_tokens: int = 128,
    vocabulary: int | None = None,
) -> Generation:
    """Generate one token a pass: the same loop without a draft. Arguments as in `speculative_generate`."""
    checking = _model(target, vocabulary)
    return _generate(checking, None, prompt, 0, sampling, accept_sample, source, seed, stop, max_new_tokens)


def _generate(
    target: Model,
    proposer: DraftModel | None,
    prompt: Ids,
    k: int,
    sampling: Sampling,
    rule: SampleRule,
    source: RandomSource | None,
    seed: int,
    stop: StopTokens,
    max_new_tokens: int,
) -> Generation:
    ids = _tokens(prompt)
    clock, seeded = _clock_and_source(target, seed)
    started = clock.mark()
    prefill(target, ids)
    if proposer is not None:
        proposer.prefill(ids)
    prefilled = clock.mark()
    iterations = speculative(
        target,
        proposer,
        ids,
        k=k,
        sampling=sampling,
        rule=rule,
        source=source or seeded,
        stop=stop_at(_stop_ids(stop, target)),
        max_new_tokens=max_new_tokens,
        clock=clock,
    )
    return collect(iterations, prefill_ns=clock.between(started, prefilled))


def _model(model: Any, vocabulary: int | None) -> Model:
    """The model itself where it keeps the loop's protocol; else a transformers model, wrapped."""
    if not hasattr(model, "feed"):
        from speclab.backends.hf.model import HFModel  # noqa: PLC0415 - needs torch, which a table does not

        return HFModel(model, vocabulary=vocabulary)
    wrapped: Model = model
    if vocabulary not in {None, wrapped.vocabulary}:
        msg = f"vocabulary is {vocabulary}, and the model given has {wrapped.vocabulary} ids already: leave it out"
        raise InputError(msg)
    return wrapped


def _require_pair(target: Model, draft: Model) -> None:
    """Two models that share their ids and their device."""
    if target.vocabulary != draft.vocabulary:
        msg = (
            f"the target has {target.vocabulary} token ids and the draft {draft.vocabulary}: where the rest is "
            "padding, give vocabulary= the number of real ones (the length of the tokenizer)"
        )
        raise InputError(msg)
    devices = [getattr(model, "device", None) for model in (target, draft)]
    if devices[0] != devices[1]:
        msg = f"the target is on {devices[0]} and the draft on {devices[1]}: move them to one device"
        raise InputError(msg)


def _clock_and_source(target: Model, seed: int) -> tuple[Clock, RandomSource]:
    """Those of the backend: torch's where the model says which device it is on."""
    device = getattr(target, "device", None)
    if device is None:
        return WALL_CLOCK, NumpySource(seed)
    from speclab.backends.hf.clock import clock_for  # noqa: PLC0415 - needs torch, which a table does not
    from speclab.backends.hf.source import TorchSource  # noqa: PLC0415

    return clock_for(device), TorchSource(seed)


def _tokens(prompt: Ids) -> list[int]:
    """The prompt as integers."""
    listed = prompt.tolist() if hasattr(prompt, "tolist") else prompt
    if isinstance(listed, Sequence) and len(listed) == 1 and isinstance(listed[0], Sequence):
        listed = listed[0]  # a batch of one
    try:
        return [index(token) for token in listed]
    except TypeError:
        msg = (
            "a prompt is a sequence of token ids, or a tensor of shape [tokens] or [1, tokens]: encode text first"
        )
        raise InputError(msg) from None


def _stop_ids(stop: StopTokens, target: Model) -> frozenset[int]:
    """What ends the output, as a set of ids."""
    named = isinstance(stop, str) and stop == "model"
    given: Any = getattr(target, "end_of_text", ()) if named else () if stop is None else stop
    listed = given.tolist() if hasattr(given, "tolist") else given
    try:
        return frozenset([listed] if isinstance(listed, int) else map(index, listed))
    except TypeError:
        msg = f"stop is {stop!r}; it is a token id, several of them, None or 'model'"
        raise InputError(msg) from None
