"""What a folder must hold before anything of it is loaded."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

from speclab.errors import InputError
from speclab.models.folder import check_config, digest, stored_dtype, weight_files

if TYPE_CHECKING:
    from pathlib import Path


def _config(folder: Path, **more: Any) -> Path:
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **more}), encoding="utf-8")
    return folder


def _weights(folder: Path, name: str = "model.safetensors", dtype: torch.dtype = torch.bfloat16) -> Path:
    save_file({name: torch.ones(8, 4, dtype=dtype)}, folder / name)
    return folder / name


def _index(folder: Path, *parts: str) -> None:
    index = {"weight_map": {part: part for part in parts}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")


def test_a_plain_folder_is_taken(tmp_path: Path) -> None:
    """A configuration, and weights in one file or in the parts that the index names."""
    check_config(_config(tmp_path), "mine")
    whole = _weights(tmp_path)
    assert weight_files(tmp_path, "mine") == (whole,)
    parts = tuple(_weights(tmp_path, f"model-{n}.safetensors") for n in (1, 2))
    _index(tmp_path, *(part.name for part in parts))
    assert weight_files(tmp_path, "mine") == parts


def test_code_of_its_own_is_refused(tmp_path: Path) -> None:
    """`auto_map` names it."""
    _config(tmp_path, auto_map={"AutoModelForCausalLM": "modeling.Mine"})
    with pytest.raises(InputError, match=r"mine has `auto_map` in its config\.json: it would run code of its own"):
        check_config(tmp_path, "mine")


def test_quantised_weights_are_refused(tmp_path: Path) -> None:
    """They are neither of the dtype that is asked for, nor counted right."""
    _config(tmp_path, quantization_config={"quant_method": "awq"})
    with pytest.raises(InputError, match=r"mine is quantised \(awq\)"):
        check_config(tmp_path, "mine")


@pytest.mark.parametrize("content", ["", "[1]", "{", b"\xff\xfe"])
def test_an_unreadable_configuration(tmp_path: Path, content: str | bytes) -> None:
    """No object of JSON."""
    (tmp_path / "config.json").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError, match=r"mine: config\.json is not readable JSON"):
        check_config(tmp_path, "mine")


def test_no_configuration(tmp_path: Path) -> None:
    """Any other folder."""
    with pytest.raises(InputError, match=r"mine is no model folder: it holds no config\.json"):
        check_config(tmp_path, "mine")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "consolidated.00.pth"])
def test_pickles_are_refused(tmp_path: Path, name: str) -> None:
    """Reading one can run code."""
    (tmp_path / name).write_bytes(b"1")
    with pytest.raises(InputError, match=rf"mine holds its weights as a pickle \({name}\)"):
        weight_files(tmp_path, "mine")


def test_pickles_beside_safetensors_do_not_matter(tmp_path: Path) -> None:
    """They are not read."""
    (tmp_path / "pytorch_model.bin").write_bytes(b"1")
    whole = _weights(tmp_path)
    assert weight_files(tmp_path, "mine") == (whole,)


def test_no_weights(tmp_path: Path) -> None:
    """None at all, or a GGUF file, which is named itself."""
    with pytest.raises(InputError, match="mine holds no weights in safetensors"):
        weight_files(tmp_path, "mine")
    (tmp_path / "some.gguf").write_bytes(b"1")
    with pytest.raises(InputError, match=r"name its GGUF file itself \(some\.gguf\)"):
        weight_files(tmp_path, "mine")


def test_a_missing_part(tmp_path: Path) -> None:
    """The index names what is not there."""
    _weights(tmp_path, "model-1.safetensors")
    _index(tmp_path, "model-1.safetensors", "model-2.safetensors")
    with pytest.raises(InputError, match=r"mine is incomplete: model-2\.safetensors"):
        weight_files(tmp_path, "mine")


@pytest.mark.parametrize("kept", [0, 4, 20, -1])
def test_weights_that_are_cut_off(tmp_path: Path, kept: int) -> None:
    """At any place, the last byte too."""
    whole = _weights(tmp_path)
    whole.write_bytes(whole.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"mine: model\.safetensors is cut off"):
        weight_files(tmp_path, "mine")


def test_the_stored_dtype_is_that_of_most_bytes(tmp_path: Path) -> None:
    """A few numbers in float32 do not make it one."""
    one = _weights(tmp_path, "model-1.safetensors", torch.float16)
    assert stored_dtype((one,), "mine") == "float16"
    save_file({"a": torch.ones(2), "b": torch.ones(64, dtype=torch.bfloat16)}, tmp_path / "model-2.safetensors")
    assert stored_dtype((one, tmp_path / "model-2.safetensors"), "mine") == "bfloat16"


def test_digest_of_files_and_of_links_into_the_hub(tmp_path: Path) -> None:
    """One file: its own; several: of the list of theirs; the hub's cache names its files by theirs."""
    one, two = _weights(tmp_path, "1.safetensors"), _weights(tmp_path, "2.safetensors")
    each = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, two)}
    assert digest((one,)) == each[one]
    listed = f"{each[one]}  1.safetensors\n{each[two]}  2.safetensors\n"
    assert digest((one, two)) == hashlib.sha256(listed.encode()).hexdigest()
    blob = one.rename(tmp_path / ("ab" * 32))
    one.symlink_to(blob)
    assert digest((one,)) == "ab" * 32
