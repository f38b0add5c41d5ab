"""Models of a few thousand numbers as the files they come in: a folder, a GGUF file, wheels."""

from __future__ import annotations

import hashlib
import zipfile
from typing import TYPE_CHECKING, Any

import gguf
import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from speclab.models.catalogue import Entry, Wheel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

END = "<|im_end|>"
LETTERS = sorted(pre_tokenizers.ByteLevel.alphabet())
MERGES = (("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"))
TOKENS = (END, *LETTERS, *(left + right for left, right in MERGES))
"""Real tokens: an end of text, every byte, and a few pairs."""
WIDTH, LAYERS, CONTEXT = 64, 2, 128


def small_tokenizer(tokens: Sequence[str] = TOKENS) -> Any:
    """A byte-level tokenizer with these tokens, numbered in this order."""
    backend = Tokenizer(
        models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=list(MERGES))
    )
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    make: Any = PreTrainedTokenizerFast  # untyped
    return make(tokenizer_object=backend, eos_token=END)


def save_folder(folder: Path, model: Any, tokenizer: Any) -> Path:
    """A model folder as transformers writes it."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_gguf(path: Path, *, unused: int = 5, architecture: str = "llama", without: str = "") -> Path:
    """A Llama in Q8_0 whose token list ends in padding that is marked unused; `without` leaves one tensor out."""
    tokens = [*TOKENS, *(f"[PAD{index}]" for index in range(unused))]
    kinds = [3 if token == END else 1 for token in TOKENS] + [5] * unused
    numbers = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("small")
    writer.add_file_type(7)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{left} {right}" for left, right in MERGES])
    writer.add_eos_token_id(0)
    for name, shape in _shapes(len(tokens)).items():
        weights = numbers.normal(0, 0.3, shape).astype(np.float32)
        if name == without:
            continue
        if len(shape) == 1:
            writer.add_tensor(name, 1 + weights)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(weights, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (vocabulary, WIDTH),
        "output.weight": (vocabulary, WIDTH),
        "output_norm.weight": (WIDTH,),
    }
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.attn_norm.weight": (WIDTH,),
            f"blk.{layer}.ffn_norm.weight": (WIDTH,),
            f"blk.{layer}.attn_q.weight": (WIDTH, WIDTH),
            f"blk.{layer}.attn_k.weight": (WIDTH // 2, WIDTH),
            f"blk.{layer}.attn_v.weight": (WIDTH // 2, WIDTH),
            f"blk.{layer}.attn_output.weight": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_gate.weight": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_up.weight": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_down.weight": (WIDTH, WIDTH),
        }
    return shapes


def write_wheel(folder: Path, package: str, members: Mapping[str, bytes]) -> Wheel:
    """A wheel, version 1.0, with data members; the first one is what the catalogue reads."""
    stem = package.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    path = folder / f"{stem}-1.0-py3-none-any.whl"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: small\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in files).encode()
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    raw = path.read_bytes()
    return Wheel(
        package=package,
        version="1.0",
        bytes=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        member=next(iter(members)),
    )


def write_entry(folder: Path, content: bytes, *, name: str = "small-model", parts: int = 3) -> Entry:
    """A model of the catalogue, cut into the members of several wheels."""
    step = -(-len(content) // parts)
    wheels = tuple(
        write_wheel(
            folder,
            f"small-part{index + 1}",
            {f"small_part{index + 1}/data/part.bin": content[index * step : (index + 1) * step]},
        )
        for index in range(parts)
    )
    return Entry(
        name=name,
        licence="Apache-2.0",
        origin="made for a test",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        parameters=100_000,
        end_of_text=(0, 1),
        wheel=wheels,
    )
