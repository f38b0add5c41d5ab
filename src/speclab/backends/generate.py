"""Generate in one call: wrap the models, take in the prompt, run the loop to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.backends.asked import SEEDS, process_of, require_usable, stop_ids, stop_of, tokens, whole
from speclab.backends.pair import loop_model, require_pair
from speclab.backends.source import source_for
from speclab.decoding.clock import WALL_CLOCK
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.prefill import prefill
from speclab.decoding.processed import ProcessedModel
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.rules import accept_sample
from speclab.decoding.sampling import GREEDY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.backends.asked import Ids, StopTokens
    from speclab.decoding.generation import Generation
    from speclab.decoding.protocols import Clock, Model, RandomSource
    from speclab.decoding.rules import SampleRule
    from speclab.decoding.sampling import Sampling


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
    processors: Sequence[Any] = (),
    stop: StopTokens = "model",
    stop_strings: str | Sequence[str] = (),
    tokenizer: Any = None,
    min_new_tokens: int = 0,
    max_new_tokens: int = 128,
    vocabulary: int | None = None,
) -> Generation:
    """Generate with a draft model's proposals; the output follows the target alone.

    Args:
        target: A transformers model, which is put into evaluation mode, or anything that is a
            `speclab.decoding.protocols.Model`. One of the latter is used up: its cache must be empty or hold the
            prompt but its last token.
        draft: The same, for the model that guesses.
        prompt: At least one token.
        k: Tokens to propose in an iteration; at 0 the draft is not used.
        sampling: How laws are made from logits; the likeliest token is taken where it is not given.
        draft_sampling: The draft's own, where it is not to be the target's; the output follows the target all the
            same. Under `GREEDY` the draft chooses its likeliest token.
        rule: Which proposals stand where the sampling is not greedy.
        seed: Of every random decision.
        source: Makes them in the place of one that is made from the seed. With `PositionSource`, `GREEDY`
            proposals and `accept_own_draw` the output is that of `plain_generate` with the same source, token for
            token.
        processors: Logits processors of transformers, applied before the sampling to the rows of both models (the
            target's decide; the draft's make its guesses alike). Those that keep something between calls are
            refused: `speclab.backends.hf.processors`.
        stop: Tokens that end the output, and that it ends with.
        stop_strings: Strings that do; the token that completes one is kept whole. The prompt is not looked at.
        tokenizer: That of the models, which stop strings need.
        min_new_tokens: Tokens of `stop` are impossible, before any processor, until there are so many others; a
            stop string ends the output all the same.
        max_new_tokens: Tokens to generate at most.
        vocabulary: Number of real token ids, where the models' outputs hold padding too.

    Raises:
        InputError: When the models do not fit together, or an argument cannot be used.
        LogitsError: When the target's logits cannot decide a token, or processors leave none to decide.
    """
    guessing = loop_model(draft, vocabulary)
    checking = loop_model(target, vocabulary)
    if guessing is checking:
        guessing = checking.fork()  # each needs a cache of its own
    require_pair(checking, guessing)
    return _generate(
        checking,
        guessing if k else None,
        tokens(prompt),
        k=k,
        sampling=sampling,
        draft_sampling=draft_sampling,
        rule=rule,
        seed=seed,
        source=source,
        processors=processors,
        stop=stop,
        stop_strings=stop_strings,
        tokenizer=tokenizer,
        min_new_tokens=min_new_tokens,
        max_new_tokens=max_new_tokens,
    )


def plain_generate(
    target: object,
    prompt: Ids,
    *,
    sampling: Sampling = GREEDY,
    seed: int = 0,
    source: RandomSource | None = None,
    processors: Sequence[Any] = (),
    stop: StopTokens = "model",
    stop_strings: str | Sequence[str] = (),
    tokenizer: Any = None,
    min_new_tokens: int = 0,
    max_new_tokens: int = 128,
    vocabulary: int | None = None,
) -> Generation:
    """Generate one token a pass: the same loop without a draft. Arguments as in `speculative_generate`."""
    return _generate(
        loop_model(target, vocabulary),
        None,
        tokens(prompt),
        k=0,
        sampling=sampling,
        draft_sampling=None,
        rule=accept_sample,
        seed=seed,
        source=source,
        processors=processors,
        stop=stop,
        stop_strings=stop_strings,
        tokenizer=tokenizer,
        min_new_tokens=min_new_tokens,
        max_new_tokens=max_new_tokens,
    )


def _generate(
    target: Model,
    draft: Model | None,
    prompt: list[int],
    *,
    k: int,
    sampling: Sampling,
    draft_sampling: Sampling | None,
    rule: SampleRule,
    seed: int,
    source: RandomSource | None,
    processors: Sequence[Any],
    stop: StopTokens,
    stop_strings: str | Sequence[str],
    tokenizer: Any,
    min_new_tokens: int,
    max_new_tokens: int,
) -> Generation:
    require_usable(sampling, draft_sampling, rule, source)
    k, max_new_tokens = whole("k", k), whole("max_new_tokens", max_new_tokens)
    min_new_tokens = whole("min_new_tokens", min_new_tokens)
    seeded = source_for(target, whole("seed", seed, below=SEEDS))
    clock = _clock(target)
    ends = stop_ids(stop, target)
    ending = stop_of(ends, stop_strings, tokenizer, len(prompt))
    process = process_of(processors, ends, min_new_tokens, len(prompt))
    if process is not None:
        target = ProcessedModel(target, process, len(prompt))
        draft = draft and ProcessedModel(draft, process, len(prompt))
    proposer = DraftModel(draft, draft_sampling) if draft else None
    started = clock.mark()
    prefill(target, prompt)
    if proposer is not None:
        proposer.prefill(prompt)
    prefilled = clock.mark()
    iterations = speculative(
        target,
        proposer,
        prompt,
        k=k,
        sampling=sampling,
        rule=rule,
        source=source or seeded,
        stop=ending,
        max_new_tokens=max_new_tokens,
        clock=clock,
    )
    return collect(iterations, prefill_ns=clock.between(started, prefilled))


def _clock(target: Model) -> Clock:
    """That of the device, where the model says which one it is on."""
    device = getattr(target, "device", None)
    if device is None:
        return WALL_CLOCK
    from speclab.backends.hf.clock import clock_for  # noqa: PLC0415 - needs torch, which a table does not

    return clock_for(device)
