"""A model, or a pair of them, ready to decode, with the record of what was loaded."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.models.extras import LOADING, require
from speclab.models.folder import digest, stored_dtype, weight_files
from speclab.models.refusals import one_line, require_all_weights
from speclab.models.report import silent
from speclab.models.sources import locate
from speclab.models.tokenizers import require_same, token_map
from speclab.records.base import Reading
from speclab.records.run import ModelRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    from speclab.backends.hf.model import HFModel
    from speclab.models.report import Report
    from speclab.models.sources import Source
    from speclab.models.tokenizers import TokenMap
    from speclab.records.plan import Device, Dtype, Pair


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """One model with its tokenizer."""

    model: HFModel
    """With an empty cache."""
    tokenizer: PreTrainedTokenizerBase
    record: ModelRecord
    end_of_text: frozenset[int]
    module: PreTrainedModel


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """A target and a draft with one vocabulary."""

    target: LoadedModel
    draft: LoadedModel
    tokenizer: PreTrainedTokenizerBase
    vocabulary: int
    """Number of real token ids that both have; padding is cut from the logits of both."""
    end_of_text: frozenset[int]
    """Of the target."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Everything that is known of a model before its weights are read."""

    source: Source
    config: PreTrainedConfig
    tokenizer: PreTrainedTokenizerBase
    tokens: TokenMap


def load_model(name: str, *, dtype: Dtype, device: Device = "cpu", report: Report = silent) -> LoadedModel:
    """Load a model; nothing is downloaded but from the hub, and no code of a model is ever run.

    Args:
        name: A name of the catalogue, a hub id, a folder, or a GGUF file (converted once).
        dtype: What it computes in.
        device: Where.
        report: Told how far the conversion of a GGUF file is.

    Raises:
        InputError: When it is not here or cannot be used; one line that says why.
    """
    _require_device(device)
    prepared = _prepare(name, report)
    return _load(prepared, prepared.tokens.vocabulary, dtype, device)


def load_pair(pair: Pair, report: Report = silent) -> LoadedPair:
    """Load a target and a draft; their tokenizers are compared before any weight is read.

    Raises:
        InputError: When one is not here or cannot be used, or the tokenizers differ.
    """
    _require_device(pair.device)
    target = _prepare(pair.target, report)
    draft = _prepare(pair.draft, report)
    vocabulary = require_same(target.tokens, draft.tokens)
    loaded = _load(target, vocabulary, pair.dtype, pair.device)
    second = _load(draft, vocabulary, pair.dtype, pair.device)
    return LoadedPair(loaded, second, loaded.tokenizer, vocabulary, loaded.end_of_text)


def _require_device(device: Device) -> None:
    require(LOADING, "loading a model")
    import torch  # noqa: PLC0415 - only now it is known to be there

    if device == "cuda" and not torch.cuda.is_available():
        msg = "torch sees no CUDA device here: use the device cpu, or install a CUDA build of torch"
        raise InputError(msg)


def _prepare(name: str, report: Report) -> _Prepared:
    """Everything that can be refused without reading weights."""
    from transformers import AutoConfig, AutoTokenizer  # noqa: PLC0415

    source = locate(name, report)
    with one_line(source.name):
        config = AutoConfig.from_pretrained(source.folder, trust_remote_code=False, local_files_only=True)
        require_causal(config)
        tokenizer = AutoTokenizer.from_pretrained(source.folder, trust_remote_code=False, local_files_only=True)
    unused = source.converted.unused if source.converted else ()
    return _Prepared(source, config, tokenizer, token_map(source.name, tokenizer, unused))


def require_causal(config: PreTrainedConfig) -> None:
    """Check on a model without weights that its architecture can be decoded with and cut back."""
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM  # noqa: PLC0415

    from speclab.backends.hf.model import HFModel  # noqa: PLC0415

    make: Any = AutoModelForCausalLM.from_config  # untyped
    with torch.device("meta"):
        HFModel(make(config, trust_remote_code=False))


def _load(prepared: _Prepared, vocabulary: int, dtype: Dtype, device: Device) -> LoadedModel:
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM  # noqa: PLC0415

    from speclab.backends.hf.model import HFModel  # noqa: PLC0415

    source = prepared.source
    folder = source.with_weights()
    files = weight_files(folder, source.name)
    with one_line(source.name), _no_bars():
        read: Any = AutoModelForCausalLM.from_pretrained  # its types know nothing of the loading info
        module, found = read(
            folder,
            dtype=getattr(torch, dtype),
            trust_remote_code=False,
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
        )
        require_all_weights(found)
        module = module.to(device)
        model = HFModel(module, vocabulary=vocabulary)
    stored = stored_dtype(files, source.name)
    if source.converted:
        history, sha256 = source.converted.history, source.converted.sha256
        stops = frozenset(source.converted.end_of_text)
    else:
        history, sha256 = f"{stored} as stored", digest(files)
        stops = _end_of_text(module, prepared.tokenizer)
    weights = list(module.parameters())
    record = ModelRecord(
        name=source.name,
        source=source.says,
        sha256=Reading(value=sha256),
        dtype=dtype,
        history=history if dtype == stored else f"{history} then {dtype}",
        parameters=sum(weight.numel() for weight in weights),
        weight_bytes=sum(weight.nbytes for weight in weights),
        layers=len(model.layers),
        vocabulary=vocabulary,
        context=model.context,
        cache_bytes_per_token=_cache_bytes(model),
    )
    return LoadedModel(model, prepared.tokenizer, record, stops, module)


def _cache_bytes(model: HFModel) -> int:
    """Bytes that one position holds on all layers, read off a cache of one token."""
    probe = model.fork()
    probe.feed([0])
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in probe.layers)


def _end_of_text(module: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Every id that the model's own files name as an end: one number, a list, or none."""
    named: list[Any] = [module.generation_config.eos_token_id, module.config.eos_token_id, tokenizer.eos_token_id]
    flat = [each for entry in named for each in (entry if isinstance(entry, list | tuple) else [entry])]
    return frozenset(each for each in flat if each is not None)


@contextmanager
def _no_bars() -> Iterator[None]:
    """Two seconds of loading need no bar, and a run's own progress stands on the same terminal."""
    from transformers.utils import logging as untyped  # noqa: PLC0415

    logging: Any = untyped
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
