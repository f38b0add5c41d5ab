"""One generation from a real pair, as it comes: what `speclab generate` shows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from speclab.backends.hf.clock import clock_for
from speclab.backends.hf.source import TorchSource
from speclab.decoding.generation import Gathered
from speclab.decoding.loop import speculative
from speclab.decoding.prefill import prefill
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.stops import stop_at
from speclab.errors import InputError
from speclab.experiments.compare import compare
from speclab.models.load import load_pair
from speclab.models.stream import TextStream
from speclab.prompts.encode import encode
from speclab.prompts.prompt import Message, make_prompt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.decoding.generation import Generation
    from speclab.decoding.iterations import Iteration
    from speclab.decoding.sampling import Sampling
    from speclab.experiments.compare import Compared
    from speclab.prompts.prompt import Prompt
    from speclab.records.plan import Pair


class Stream:
    """Load a pair, take in a prompt, and give out iterations with their text.

    Args:
        pair: Which models.
        text: The prompt.
        chat: Whether the prompt goes through the chat template, as the user's message.
        k: Tokens to propose in an iteration.
        sampling: How laws are made from logits.
        seed: Of every random decision.
        max_new_tokens: Tokens to commit at most.
    """

    def __init__(
        self, pair: Pair, text: str, *, chat: bool, k: int, sampling: Sampling, seed: int, max_new_tokens: int
    ) -> None:
        self._pair = load_pair(pair)
        self._device = pair.device
        self._k = k
        self._sampling = sampling
        self._seed = seed
        self._max_new_tokens = max_new_tokens
        self._ids = encode(_prompt(text, chat=chat), self._pair.tokenizer)
        context = self._pair.target.model.context
        if len(self._ids) > context:
            msg = f"the prompt holds {len(self._ids)} tokens and the target's context only {context}: shorten it"
            raise InputError(msg)
        self.text = ""
        self.rest = ""
        """What the last token left unfinished; known after the last step."""
        self.generation: Generation

    def steps(self) -> Iterator[tuple[Iteration, list[str]]]:
        """Decode; with each iteration comes the text that each of its committed tokens completed."""
        clock = clock_for(self._device)
        target, draft = self._pair.target.model.fork(), DraftModel(self._pair.draft.model.fork())
        started = time.perf_counter_ns()
        prefill(target, self._ids)
        if self._k:
            draft.prefill(self._ids)
        clock.synchronize()
        prefill_ns = time.perf_counter_ns() - started
        iterations = speculative(
            target,
            draft,
            self._ids,
            k=self._k,
            sampling=self._sampling,
            source=self._source(),
            stop=stop_at(self._pair.end_of_text),
            max_new_tokens=self._max_new_tokens,
            clock=clock,
        )
        decoded = TextStream(self._text, self._ids)
        gathered = Gathered(iterations, prefill_ns=prefill_ns)
        for step in gathered:
            pieces = [decoded.add(token) for token in step.committed]
            self.text += "".join(pieces)
            yield step, pieces
        self.generation = gathered.generation
        self.rest = decoded.end()
        self.text += self.rest

    def compare(self) -> Compared:
        """Time the same prompt against plain decoding, over as many tokens as were generated."""
        return compare(
            self._pair.target.model.fork(),
            self._pair.draft.model.fork(),
            self._ids,
            k=self._k,
            sampling=self._sampling,
            source=self._source,
            new_tokens=len(self.generation.ids),
            clock=clock_for(self._device),
        )

    def _text(self, ids: Sequence[int]) -> str:
        return str(self._pair.tokenizer.decode(list(ids)))

    def _source(self) -> TorchSource:
        return TorchSource(self._seed, self._device)


def _prompt(text: str, *, chat: bool) -> Prompt:
    """The text as it stands, or as the user's message of a chat."""
    messages = (Message("user", text),) if chat else ()
    return make_prompt(
        "command line",
        name="prompt",
        kind="given",
        text=None if chat else text,
        messages=messages,
        source="given at the command line",
    )
