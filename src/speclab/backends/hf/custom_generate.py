"""The loop inside transformers: a decoding function for the `custom_generate=` of a model's `generate`."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import torch
from transformers.generation.utils import GenerateDecoderOnlyOutput

from speclab.backends.hf.handed import require_usable
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.processors import as_process
from speclab.backends.hf.source import TorchSource
from speclab.backends.hf.stops import StopCriteria
from speclab.backends.hf.support import CACHE_KEYWORDS
from speclab.backends.pair import require_pair
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.processed import ProcessedModel
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import GenerationConfig, LogitsProcessorList, PreTrainedModel, StoppingCriteriaList

AS_PROCESSED = Sampling(temperature=1.0)
"""The softmax of a row: temperature, top-k and the like are among the processors already."""


def generate(
    model: PreTrainedModel,
    input_ids: Tensor,
    logits_processor: LogitsProcessorList,
    stopping_criteria: StoppingCriteriaList,
    generation_config: GenerationConfig,
    *,
    draft: PreTrainedModel,
    k: int = 4,
    vocabulary: int | None = None,
    **model_kwargs: Any,
) -> Tensor | GenerateDecoderOnlyOutput:
    """Continue one prompt with a draft's proposals, as `generate` prepared it.

    For `model.generate(ids, custom_generate=speclab.backends.hf.generate, draft=draft_model, k=4, ...)`. Greedily
    the output is that of `generate` without it; with `do_sample=True` it has the same law, and the random numbers
    follow torch's global seed. The processors are used as they are, on the rows of both models, one position at a
    time, and so are the stopping criteria. The output ends at the model's context at the latest, where plain
    `generate` goes on with a warning.

    `generate` keeps some of its arguments from every function of this kind: `assistant_model` is dropped without a
    word, `streamer` is shown the prompt and nothing else, and `stop_strings` finds no tokenizer (give
    `stopping_criteria=[StopStringCriteria(tokenizer, strings)]` instead).

    Args:
        model: The target.
        input_ids: The prompt, shape [1, tokens].
        logits_processor: Of classes that keep nothing between calls: `speclab.backends.hf.processors`.
        stopping_criteria: Asked once for each committed token; `scores` is None.
        generation_config: Says whether to sample, and whether to return a dictionary.
        draft: The model that guesses; it shares the target's tokenizer and device.
        k: Tokens to propose in an iteration.
        vocabulary: Number of real token ids, where the models' outputs hold padding too.
        model_kwargs: What `generate` prepared for passes that the loop makes itself.

    Returns:
        Prompt and output, shape [1, tokens]; or, with `return_dict_in_generate=True`, an output that holds them
        and the target's cache of all but the last token.

    Raises:
        InputError: Before the first token, naming what cannot be honoured: beams and other modes of decoding, more
            than one sequence, padding, a cache that is not dynamic or was made before, scores and hidden states as
            outputs, processors with a memory, models that do not fit together.
        LogitsError: When the target's logits cannot decide a token, or processors leave none to decide.
    """
    target, guessing = HFModel(model, vocabulary=vocabulary), HFModel(draft, vocabulary=vocabulary)
    require_pair(target, guessing)
    require_usable(input_ids, target.device, generation_config, model_kwargs)
    process = as_process(logits_processor)
    stop = StopCriteria(stopping_criteria, target.device)
    prompt: list[int] = input_ids[0].tolist()
    sampled = bool(generation_config.do_sample)
    generation = collect(
        speculative(
            ProcessedModel(target, process, len(prompt)),
            DraftModel(ProcessedModel(guessing, process, len(prompt))),
            prompt,
            k=k,
            sampling=AS_PROCESSED if sampled else GREEDY,
            source=TorchSource(_seed() if sampled else 0),
            stop=stop,
            max_new_tokens=_budget(stop.max_length, target, len(prompt)),
        )
    )
    new = torch.tensor([generation.ids], dtype=input_ids.dtype, device=input_ids.device)
    sequences = torch.cat([input_ids, new], dim=-1)
    if not generation_config.return_dict_in_generate:
        return sequences
    held = {each.name for each in fields(GenerateDecoderOnlyOutput)}
    result: Any = {"sequences": sequences, next(each for each in CACHE_KEYWORDS if each in held): target.cache}
    return GenerateDecoderOnlyOutput(**result)


def _seed() -> int:
    """A seed from torch's global generator, so that `torch.manual_seed` decides and a second call differs."""
    return int(torch.randint(2**63 - 1, (), device="cpu"))


def _budget(max_length: int | None, target: HFModel, prompt: int) -> int:
    """New tokens up to the length that ends the output; at least one, as a criterion is asked after a token."""
    return max(1, (target.context if max_length is None else max_length) - prompt)
