"""Each way in which the hub refuses, without a network."""

from __future__ import annotations

import errno
import importlib
from typing import TYPE_CHECKING, Any

import huggingface_hub
import pytest
from huggingface_hub import constants, errors

from speclab.errors import InputError
from speclab.models import hub
from speclab.models.load import load_model
from speclab.models.report import silent
from speclab.models.sources import locate

if TYPE_CHECKING:
    from pathlib import Path

ID = "meta-llama/Llama-3.2-3B-Instruct"


HTTP: Any = importlib.import_module(vars(errors)["HTTPError"].__module__.partition(".")[0])
"""The package that speaks HTTP for the hub: another one from version to version."""


def _answer(status: int) -> Any:
    return HTTP.Response(status, request=HTTP.Request("GET", f"https://huggingface.co/api/models/{ID}"))


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            errors.GatedRepoError("403\nlong text", response=_answer(403)),
            f"{ID} is gated.*https://huggingface.co/{ID}",
        ),
        (
            errors.RepositoryNotFoundError("404", response=_answer(404)),
            f"the hub has no model {ID}, or it is private",
        ),
        (errors.LocalEntryNotFoundError("not in the cache"), "the hub is out of reach"),
        (errors.OfflineModeIsEnabled("offline"), "the hub is out of reach"),
        (HTTP.ConnectError("no route"), "the hub is out of reach"),
        (HTTP.ReadTimeout("slow"), "the hub is out of reach"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "the hub is out of reach"),
        (
            errors.HfHubHTTPError("\n500 Server Error\nmore", response=_answer(500)),
            f"the hub refused {ID}: 500 Server",
        ),
        (OSError(errno.ENOSPC, "full"), f"no disk space left for {ID}"),
    ],
)
def test_every_refusal_is_one_line(monkeypatch: pytest.MonkeyPatch, error: Exception, line: str) -> None:
    """It names the model, and what to do."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(InputError, match=line) as raised:
        load_model(ID, dtype="float16")
    assert "\n" not in str(raised.value)


def test_offline_and_not_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's own behaviour when it was told to stay offline."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=f"{ID} is not complete in the hub's cache, and the hub is out of reach"):
        hub.bring(ID, hub.LIGHT)


def test_only_safetensors_and_plain_files_are_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Configuration first; a model with code of its own is refused before its weights are brought."""
    asked: list[dict[str, Any]] = []

    def bring(_: str, **options: Any) -> str:
        asked.append(options)
        (tmp_path / "config.json").write_text('{"auto_map": {}}', encoding="utf-8")
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", bring)
    with pytest.raises(InputError, match="auto_map"):
        load_model(ID, dtype="float16")
    assert len(asked) == 1
    (tmp_path / "config.json").unlink()
    hub.bring(ID, hub.WEIGHTS, commit="abc")
    assert asked[1]["revision"] == "abc"
    assert asked[1]["allow_patterns"] == ["*.safetensors", "*.safetensors.index.json"]
    for options in asked:
        assert not any(pattern.endswith((".bin", ".pt", ".py", "*")) for pattern in options["allow_patterns"])


def test_what_is_no_model_at_all() -> None:
    """The line says what could have been meant."""
    with pytest.raises(
        InputError, match=r"unknown model 'qwen': it is none of the catalogue \(qwen2\.5-coder-1\.5b.*"
    ):
        locate("qwen", silent)
    with pytest.raises(InputError, match="no folder or GGUF file here"):
        locate("./missing/model.gguf", silent)
