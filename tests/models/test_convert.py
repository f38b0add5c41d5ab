"""A small GGUF file, converted for real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gguf
import pytest
import torch
from safetensors.torch import load_file

from small_models import TOKENS, write_gguf
from speclab.errors import InputError
from speclab.models.convert import convert
from speclab.models.converted import read_converted
from speclab.models.report import silent

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.models.converted import Converted


def _convert(path: Path, folder: Path, **more: Any) -> Converted:
    return convert(path, folder, source="a test", sha256="0" * 64, report=silent, what="small", **more)


def test_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    """Dequantised as the gguf package does it, rounded to bfloat16; the output matrix is stored apart."""
    path, folder = write_gguf(tmp_path / "small.gguf"), tmp_path / "model"
    _convert(path, folder)
    ours = load_file(folder / "model.safetensors")
    theirs = {each.name: gguf.dequantize(each.data, each.tensor_type) for each in gguf.GGUFReader(path).tensors}
    assert {weight.dtype for weight in ours.values()} == {torch.bfloat16}
    assert sum(weight.numel() for weight in ours.values()) == sum(weight.size for weight in theirs.values())
    for name, key in {
        "model.embed_tokens.weight": "token_embd.weight",
        "lm_head.weight": "output.weight",
        "model.layers.1.mlp.down_proj.weight": "blk.1.ffn_down.weight",
    }.items():
        assert torch.equal(ours[name], torch.from_numpy(theirs[key]).to(torch.bfloat16))


def test_record_of_the_conversion(tmp_path: Path) -> None:
    """Padding, ends of text (the given ones too), history, and the size of every file."""
    folder = tmp_path / "model"
    record = _convert(write_gguf(tmp_path / "small.gguf", unused=5), folder, end_of_text=(3, 0))
    assert record.history == "Q8_0 dequantised to bfloat16"
    assert record.end_of_text == (0, 3)
    assert set(record.unused) >= set(range(len(TOKENS), len(TOKENS) + 5))
    assert min(record.unused) == len(TOKENS)
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= record.files.keys()
    assert read_converted(folder) == record


@pytest.mark.parametrize("damage", ["cut off", "missing", "no record"])
def test_an_incomplete_folder_is_not_taken(tmp_path: Path, damage: str) -> None:
    """A file shorter than it was, a file that is gone, or a folder without its record."""
    folder = tmp_path / "model"
    _convert(write_gguf(tmp_path / "small.gguf"), folder)
    assert read_converted(folder)
    weights = folder / "model.safetensors"
    if damage == "cut off":
        weights.write_bytes(weights.read_bytes()[:-1])
    elif damage == "missing":
        weights.unlink()
    else:
        (folder / "speclab-model.json").unlink()
    assert read_converted(folder) is None


def test_an_architecture_that_transformers_does_not_know(tmp_path: Path) -> None:
    """One line, and no folder."""
    path = write_gguf(tmp_path / "small.gguf", architecture="novel")
    with pytest.raises(InputError, match="small cannot be loaded: GGUF model with architecture novel is not"):
        _convert(path, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_recurrent_architecture(tmp_path: Path) -> None:
    """Refused before anything is written."""
    path = write_gguf(tmp_path / "small.gguf", architecture="mamba")
    with pytest.raises(InputError, match="small: MambaForCausalLM keeps a recurrent state"):
        _convert(path, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_tensor_that_is_missing(tmp_path: Path) -> None:
    """transformers would fill it with random numbers."""
    path = write_gguf(tmp_path / "small.gguf", without="blk.1.ffn_up.weight")
    with pytest.raises(InputError, match=r"small: its weights lack 1 tensors, model\.layers\.1\.mlp\.up_proj"):
        _convert(path, tmp_path / "model")


def test_tensors_that_are_cut_off(tmp_path: Path) -> None:
    """A whole header in front of half the weights."""
    path = write_gguf(tmp_path / "small.gguf")
    path.write_bytes(path.read_bytes()[:-20_000])
    with pytest.raises(InputError, match="small cannot be loaded: "):
        _convert(path, tmp_path / "model")
