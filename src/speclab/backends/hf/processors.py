"""The logits processors of transformers as a process of rows, and which of them can be one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import LogitsProcessorList
from transformers.generation import logits_process

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclab.decoding.processed import Process
    from speclab.decoding.protocols import Rows

TESTED = frozenset(
    {
        "AlternatingCodebooksLogitsProcessor",
        "BarkEosPrioritizerLogitsProcessor",
        "EncoderNoRepeatNGramLogitsProcessor",
        "EncoderRepetitionPenaltyLogitsProcessor",
        "EpsilonLogitsWarper",
        "EtaLogitsWarper",
        "ExponentialDecayLengthPenalty",
        "ForcedBOSTokenLogitsProcessor",
        "ForcedEOSTokenLogitsProcessor",
        "InfNanRemoveLogitsProcessor",
        "LogitNormalization",
        "MinLengthLogitsProcessor",
        "MinNewTokensLengthLogitsProcessor",
        "MinPLogitsWarper",
        "NoBadWordsLogitsProcessor",
        "NoRepeatNGramLogitsProcessor",
        "PrefixConstrainedLogitsProcessor",
        "RepetitionPenaltyLogitsProcessor",
        "SequenceBiasLogitsProcessor",
        "SuppressTokensAtBeginLogitsProcessor",
        "SuppressTokensLogitsProcessor",
        "TemperatureLogitsWarper",
        "TopHLogitsWarper",
        "TopKLogitsWarper",
        "TopPLogitsWarper",
        "TypicalLogitsWarper",
        "WatermarkLogitsProcessor",
    }
)
"""Classes whose result depends on the tokens and the row they are given alone, each tested against `generate`.

`PrefixConstrainedLogitsProcessor` asks a function of the user, which must do the same; `WatermarkLogitsProcessor`
draws, but seeds its generator from the tokens each time.
"""

REASONS = {
    "ClassifierFreeGuidanceLogitsProcessor": "needs rows in pairs",
    "DiaClassifierFreeGuidanceLogitsProcessor": "needs rows in pairs",
    "DiaEOSChannelFilterLogitsProcessor": "needs a row for each channel of sound",
    "DiaEOSDelayPatternLogitsProcessor": "counts down from call to call",
    "SynthIDTextWatermarkLogitsProcessor": "remembers the tokens of earlier calls",
    "UnbatchedClassifierFreeGuidanceLogitsProcessor": "keeps a model's cache from call to call",
    "WhisperNoSpeechDetection": "keeps what it saw at the first call, and belongs to an encoder-decoder",
    "WhisperTimeStampLogitsProcessor": "belongs to an encoder-decoder",
}
"""Why the others of transformers' own cannot be taken."""


def as_process(processors: Iterable[object]) -> Process:
    """A process that applies logits processors, in their order, as plain decoding would at that position.

    Each call shows them one prefix, shape [1, tokens], and one row, shape [1, vocabulary]: most of them handle
    no other shapes. In a check they see prefixes that are then given up, so only classes that keep nothing between
    calls are taken; a subclass may do anything and is not.

    Args:
        processors: A `LogitsProcessorList`, or any sequence of logits processors.

    Raises:
        InputError: Naming the first class that is not on the tested list, and why.
    """
    known = {getattr(logits_process, name, None) for name in TESTED}
    listed: Any = LogitsProcessorList(processors)
    for each in listed:
        if type(each) not in known:
            name = type(each).__name__
            why = REASONS.get(name, "is none of the classes known to keep nothing between calls")
            msg = (
                f"the logits processor {name} {why}: leave it out, or decode without a draft through transformers"
            )
            raise InputError(msg)

    @torch.no_grad()
    def process(prefix: Sequence[int], row: Rows) -> Rows:
        scores = torch.as_tensor(row)[None]
        ids = torch.tensor([list(prefix)], dtype=torch.long, device=scores.device)
        return listed(ids, scores)[0]

    return process
