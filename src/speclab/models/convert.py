"""GGUF, dequantised once to safetensors in bfloat16, with its tokenizer beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from speclab.backends.hf.support import require_supported
from speclab.models.converted import Converted, write_converted
from speclab.models.gguf_header import read_header
from speclab.models.refusals import one_line, require_all_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from speclab.models.report import Report

_PLAIN = {"F32", "F16", "BF16"}


def convert(
    gguf: Path,
    folder: Path,
    *,
    source: str,
    sha256: str,
    end_of_text: Sequence[int] = (),
    report: Report,
    what: str,
) -> Converted:
    """Write the model of a GGUF file as a folder that transformers loads.

    Args:
        gguf: The file.
        folder: Where to; made here. It is complete when `speclab-model.json` lies in it.
        source: Where the file came from, without a path of this machine.
        sha256: Its digest.
        end_of_text: Ids that end a text besides those that the file names.
        report: Told what is being done. (How far the dequantising is, transformers shows itself.)
        what: The model's name in what it is told.

    Raises:
        InputError: When the file is not a usable GGUF, or transformers cannot read it.
    """
    header = read_header(gguf)
    stops = tuple(dict.fromkeys([*header.end_of_text, *end_of_text]))
    read: Any = AutoModelForCausalLM.from_pretrained  # its types know nothing of the loading info
    with one_line(what):
        report(f"{what}: dequantising {header.stored} to bfloat16", 0, 0)
        model, found = read(
            gguf.parent,
            gguf_file=gguf.name,
            dtype=torch.bfloat16,
            quantization_config=GgufConfig(dequantize=True),
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
        require_supported(model)
        require_all_weights(found)
        report(f"{what}: reading the tokenizer", 0, 0)
        tokenizer = AutoTokenizer.from_pretrained(
            gguf.parent, gguf_file=gguf.name, local_files_only=True, trust_remote_code=False
        )
    model.generation_config.eos_token_id = list(stops)
    report(f"{what}: writing", 0, 0)
    # One file: a few gigabytes, which are mapped when they are loaded.
    model.save_pretrained(folder, max_shard_size="1TB")
    tokenizer.save_pretrained(folder)
    stored = header.stored
    # A tokenizer class can add special tokens of its own; the model has no rows for them.
    added = sorted(index for index in tokenizer.get_vocab().values() if index >= header.tokens)
    record = Converted(
        source=source,
        sha256=sha256,
        history=f"{stored} {'converted' if stored in _PLAIN else 'dequantised'} to bfloat16",
        unused=(*header.unused, *added),
        end_of_text=stops,
        files={path.name: path.stat().st_size for path in sorted(folder.iterdir())},
    )
    write_converted(folder, record)
    return record
