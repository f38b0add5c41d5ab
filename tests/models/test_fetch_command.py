"""`speclab fetch`: exit codes, one line for each fault, and one JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import speclab.cli.fetch
from small_models import write_gguf
from speclab.cli.main import main
from speclab.models.catalogue import catalogue

if TYPE_CHECKING:
    from pathlib import Path


def _run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_list(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    """Every model of the catalogue, none of them here."""
    assert _run("fetch", "--list") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in catalogue())
    assert _run("fetch", "--list", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["cache"] == str(cache)
    assert [model["name"] for model in document["models"]] == list(catalogue())
    assert not any(model["fetched"] for model in document["models"])


def test_a_gguf_file_with_its_progress(
    tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One document on stdout; what is being done goes to stderr."""
    monkeypatch.setenv("TQDM_DISABLE", "1")  # set, so that it is put back
    path = write_gguf(tmp_path / "mine.gguf")
    assert _run("fetch", str(path), "--json", "--out", str(tmp_path / "out.json")) == 0
    printed = capsys.readouterr()
    (model,) = json.loads(printed.out)["models"]
    assert model["name"] == str(path)
    assert model["folder"].startswith(str(cache))
    assert "mine.gguf: dequantising Q8_0 to bfloat16" in printed.err
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == json.loads(printed.out)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["fetch"], "name models to fetch (qwen2.5-coder-1.5b-instruct, "),
        (["fetch", "--list", "smollm2-135m-instruct"], "or ask for --list"),
        (
            ["fetch", "smollm"],
            "unknown model 'smollm': it is none of the catalogue (qwen2.5",
        ),
        (["fetch", "missing.gguf"], "unknown model 'missing.gguf'"),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], cache: Path, arguments: list[str], line: str) -> None:
    """One line, exit code 2, and nothing written."""
    assert _run(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert line in printed.err
    assert printed.err.count("\n") == 1
    assert not cache.exists()


def test_an_unknown_name_stops_before_the_first_download(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip in the second name does not come to light after a gigabyte."""
    asked: list[str] = []
    monkeypatch.setattr(speclab.cli.fetch, "fetch", lambda name, _: asked.append(name))
    assert _run("fetch", "smollm2-135m-instruct", "smollm") == 2
    assert "unknown model 'smollm'" in capsys.readouterr().err
    assert asked == []
