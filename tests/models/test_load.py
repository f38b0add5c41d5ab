"""Models and pairs, loaded from small folders as transformers writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel, MambaConfig

from small_models import TOKENS, save_folder, small_tokenizer, write_gguf
from speclab.errors import InputError
from speclab.models.load import load_model, load_pair
from speclab.records.plan import Pair
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from pathlib import Path

REAL = len(TOKENS)


def _folder(path: Path, *, rows: int = REAL, seed: int = 0, dtype: torch.dtype = torch.float32) -> Path:
    return save_folder(path, tiny_llama(seed, vocabulary=rows, dtype=dtype), small_tokenizer())


def _pair(target: Path, draft: Path) -> Pair:
    return Pair(target=str(target), draft=str(draft), dtype="float32")


def test_a_folder_is_loaded_as_it_is(tmp_path: Path) -> None:
    """Same logits as the model that was saved, an empty cache, and a record that counts what was loaded."""
    model = tiny_llama(vocabulary=REAL)
    folder = save_folder(tmp_path / "mine", model, small_tokenizer())
    loaded = load_model(str(folder), dtype="float32")
    assert loaded.model.length == 0
    torch.testing.assert_close(loaded.model.feed([1, 2, 3]), full_logits(model, [1, 2, 3]))

    record = loaded.record
    assert (record.name, record.source) == ("mine", "local folder mine")
    assert (record.dtype, record.history) == ("float32", "float32 as stored")
    assert record.parameters == sum(weight.numel() for weight in model.parameters())
    assert record.weight_bytes == 4 * record.parameters
    assert (record.layers, record.context, record.vocabulary) == (2, 64, REAL)
    # Keys and values, two layers, one head of 16 numbers of 4 bytes.
    assert record.cache_bytes_per_token == 2 * 2 * 16 * 4
    assert str(tmp_path) not in record.model_dump_json()


def test_another_dtype_is_part_of_the_history(tmp_path: Path) -> None:
    """Numbers stored in one dtype and computed in another went through both."""
    folder = _folder(tmp_path / "mine", dtype=torch.bfloat16)
    assert load_model(str(folder), dtype="bfloat16").record.history == "bfloat16 as stored"
    loaded = load_model(str(folder), dtype="float16")
    assert loaded.record.history == "bfloat16 as stored then float16"
    assert {weight.dtype for weight in loaded.module.parameters()} == {torch.float16}


def test_a_tied_output_matrix_is_counted_once(tmp_path: Path) -> None:
    """Parameters as they are loaded; keys and values are read off a cache, not the configuration."""
    model: Any = GPT2LMHeadModel(GPT2Config(vocab_size=REAL, n_positions=32, n_embd=24, n_layer=3, n_head=2))
    record = load_model(str(save_folder(tmp_path / "mine", model, small_tokenizer())), dtype="float32").record
    assert record.parameters == model.num_parameters()
    assert record.layers == 3
    assert record.cache_bytes_per_token == 2 * 3 * 24 * 4


def test_every_id_that_ends_a_text(tmp_path: Path) -> None:
    """The tokenizer's own, and the list of the generation configuration."""
    folder = _folder(tmp_path / "mine")
    assert load_model(str(folder), dtype="float32").end_of_text == {0}
    (folder / "generation_config.json").write_text('{"eos_token_id": [7, 9]}', encoding="utf-8")
    assert load_model(str(folder), dtype="float32").end_of_text == {0, 7, 9}


def test_padding_is_cut_from_both_models(tmp_path: Path) -> None:
    """Target and draft with more rows than tokens, and not the same number."""
    pair = load_pair(
        _pair(_folder(tmp_path / "big", rows=REAL + 20), _folder(tmp_path / "small", rows=REAL + 3, seed=1))
    )
    assert pair.vocabulary == REAL
    for each in (pair.target, pair.draft):
        assert each.model.feed([1]).shape == (1, REAL)
        assert each.record.vocabulary == REAL
    assert pair.end_of_text == {0}
    assert pair.tokenizer is pair.target.tokenizer


def test_a_gguf_target_and_a_folder_as_its_draft(tmp_path: Path) -> None:
    """The file lists its padding, the folder's tokenizer does not: the same tokenizer."""
    pair = load_pair(_pair(write_gguf(tmp_path / "big.gguf", unused=5), _folder(tmp_path / "small")))
    assert pair.vocabulary == REAL


def test_other_tokenizers_are_refused_before_any_weight_is_read(tmp_path: Path) -> None:
    """Two ids swapped: sizes are equal. The first that differs is named, and so are both models."""
    target = _folder(tmp_path / "big")
    swapped = [TOKENS[0], TOKENS[2], TOKENS[1], *TOKENS[3:]]
    draft = save_folder(tmp_path / "small", tiny_llama(vocabulary=REAL), small_tokenizer(swapped))
    for folder in (target, draft):
        (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"big and small have different .*: id 1 is '!' in the first and '\"'"):
        load_pair(_pair(target, draft))


def test_a_recurrent_model_is_refused_before_its_weights_are_read(tmp_path: Path) -> None:
    """There are none in this folder."""
    MambaConfig(vocab_size=REAL, hidden_size=16, num_hidden_layers=2).save_pretrained(tmp_path / "mamba")
    small_tokenizer().save_pretrained(tmp_path / "mamba")
    with pytest.raises(InputError, match=r"mamba: MambaForCausalLM keeps a recurrent state .*cannot be cut back"):
        load_model(str(tmp_path / "mamba"), dtype="float32")


def test_weights_that_are_not_all_there(tmp_path: Path) -> None:
    """transformers would fill the rest with random numbers."""
    folder = _folder(tmp_path / "mine")
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"mine: its weights lack 1 tensors, model\.layers\.1\.mlp\.up"):
        load_model(str(folder), dtype="float32")


def test_weights_of_another_shape(tmp_path: Path) -> None:
    """One line out of the table that transformers prints."""
    folder = _folder(tmp_path / "mine")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": 48}), encoding="utf-8")
    with pytest.raises(InputError, match="mine cannot be loaded: ") as raised:
        load_model(str(folder), dtype="float32")
    assert "\n" not in str(raised.value)


def test_a_model_type_that_transformers_does_not_know(tmp_path: Path) -> None:
    """The first line of what it says."""
    (tmp_path / "config.json").write_text('{"model_type": "novel"}', encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be loaded: .*novel") as raised:
        load_model(str(tmp_path), dtype="float32")
    assert "\n" not in str(raised.value)


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    """Its ids would mean nothing."""
    tiny_llama(vocabulary=REAL).save_pretrained(tmp_path / "mine")
    with pytest.raises(InputError, match="mine cannot be loaded: ") as raised:
        load_model(str(tmp_path / "mine"), dtype="float32")
    assert "\n" not in str(raised.value)


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    """Even where all the rest is in order."""
    folder = _folder(tmp_path / "mine")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"mine holds its weights as a pickle \(pytorch_model\.bin\)"):
        load_model(str(folder), dtype="float32")


def test_pickled_weights_are_named_even_without_a_tokenizer(tmp_path: Path) -> None:
    """What is wrong for good comes before what could be added."""
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    (tmp_path / "pytorch_model.bin").write_bytes(b"1")
    with pytest.raises(InputError, match="holds its weights as a pickle"):
        load_model(str(tmp_path), dtype="float32")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_no_cuda_device(tmp_path: Path) -> None:
    """Said before anything is looked up."""
    with pytest.raises(InputError, match="torch sees no CUDA device here: use the device cpu"):
        load_model(str(tmp_path / "absent"), dtype="float32", device="cuda")


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the extra to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else 1)
    with pytest.raises(InputError, match=r"loading a model needs torch: run `pip install 'speclab\[models\]'`"):
        load_model("smollm2-135m-instruct", dtype="float32")
