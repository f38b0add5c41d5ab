"""Plain and speculative decoding: the whole idea on one screen.

With L tokens in the sequence (prompt and committed), before and after every iteration the target's cache holds
L - 1 of them: the last one is pending, it has not been fed. The draft's cache holds at most L - 1, always a true
prefix. So every iteration is alike, a check is one pass over k + 1 tokens, and plain decoding is k = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.decoding.clock import WALL_CLOCK
from speclab.decoding.iterations import Iteration
from speclab.decoding.logits import TargetLaws, require_finite
from speclab.decoding.prefill import prefill
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_greedy, accept_sample
from speclab.decoding.stops import never
from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from speclab.decoding.iterations import Finish
    from speclab.decoding.protocols import Clock, Model, Proposer, RandomSource, Rows
    from speclab.decoding.rules import Acceptance, SampleRule
    from speclab.decoding.sampling import Sampling
    from speclab.decoding.stops import Stop


def speculative(
    target: Model,
    proposer: Proposer | None,
    prompt: Sequence[int],
    *,
    k: int,
    sampling: Sampling,
    source: RandomSource,
    rule: SampleRule = accept_sample,
    stop: Stop = never,
    max_new_tokens: int,
    clock: Clock = WALL_CLOCK,
) -> Generator[Iteration, None, Finish]:
    """Decode with proposals: yield one iteration after another, return why it ended.

    Args:
        target: The model whose output this is.
        proposer: What guesses; never called at k = 0, nor where one token is left.
        prompt: At least one token.
        k: Tokens to propose in an iteration.
        sampling: How laws are made from the target's logits; a proposer takes the same unless it has its own.
        source: Every random decision; the target makes none when the sampling is greedy.
        rule: Which proposals stand where the sampling is not greedy.
        stop: What ends the output; the first committed token that does is its last.
        max_new_tokens: Tokens to commit, at most; prompt and output never exceed the target's context either.
        clock: Times the parts of each iteration.

    Raises:
        InputError: On a prompt, k or budget that cannot be decoded.
        LogitsError: When the target's logits cannot decide a token.
    """
    if k < 0 or max_new_tokens < 0:
        msg = f"k is {k} and max_new_tokens {max_new_tokens}; both must be at least 0"
        raise InputError(msg)
    prefill(target, prompt)
    if not k:
        proposer = None
    if proposer is not None:
        proposer.prefill(prompt)
    sequence = list(prompt)
    end = len(prompt) + min(max_new_tokens, target.context - len(prompt))
    while len(sequence) < end:
        started = clock.mark()
        position = len(sequence)  # of the next token to decide
        room = min(k, end - position - 1)  # the target always adds one token of its own

        drafting = clock.mark()
        proposals = Proposals()
        if room and proposer is not None:
            proposals = proposer.propose(sequence, room, sampling, source)

        verifying = clock.mark()
        rows = target.feed([sequence[-1], *proposals.tokens])

        accepting = clock.mark()
        verdict = _check(target, proposals, rows, sampling, rule, source, position)
        ended = _commit(sequence, (*proposals.tokens[: verdict.accepted], verdict.token), stop)
        committed = tuple(sequence[position:])

        rolling = clock.mark()
        target.rollback(len(sequence) - 1)
        if proposer is not None:
            proposer.rollback(len(sequence) - 1)

        whole = len(committed) == verdict.accepted + 1
        marks = (started, drafting, verifying, accepting, rolling, clock.mark())
        yield Iteration(
            proposed=proposals.tokens,
            accepted=verdict.accepted,
            committed=committed,
            complete=whole and len(proposals.tokens) == k,
            target_length=target.length,
            clock=clock,
            marks=marks,
        )
        if ended:
            return "stop"
    return "length" if len(sequence) - len(prompt) == max_new_tokens else "context"


def plain(
    target: Model,
    prompt: Sequence[int],
    *,
    sampling: Sampling,
    source: RandomSource,
    stop: Stop = never,
    max_new_tokens: int,
    clock: Clock = WALL_CLOCK,
) -> Generator[Iteration, None, Finish]:
    """Decode one token a pass: the same loop at k = 0, where nothing is proposed."""
    return speculative(
        target,
        None,
        prompt,
        k=0,
        sampling=sampling,
        source=source,
        stop=stop,
        max_new_tokens=max_new_tokens,
        clock=clock,
    )


def _check(
    target: Model,
    proposals: Proposals,
    rows: Rows,
    sampling: Sampling,
    rule: SampleRule,
    source: RandomSource,
    position: int,
) -> Acceptance:
    """Apply the rule of this sampling. Rows behind the first rejection decide nothing and are not judged."""
    if sampling.greedy:
        verdict = accept_greedy(proposals, rows)
        require_finite(rows, (*proposals.tokens[: verdict.accepted], verdict.token), position)
        return verdict
    laws = TargetLaws(target, rows, sampling, position)
    return rule(proposals, proposals.laws, laws, source, position)


def _commit(sequence: list[int], tokens: tuple[int, ...], stop: Stop) -> bool:
    """Append tokens up to the first that ends the output, wherever it stands in the block; whether one did."""
    for token in tokens:
        sequence.append(token)
        if stop(sequence):
            return True
    return False
