"""pip, as it really behaves, on wheels of a few bytes from a local folder."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

from small_models import write_wheel
from speclab.errors import InputError
from speclab.models.catalogue import Wheel
from speclab.models.download import download
from speclab.models.report import silent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to work in."""
    work = tmp_path / "work"
    work.mkdir()
    return work


def test_brings_the_pinned_wheels_and_tells_how_far_it_is(local_pip: Path, folder: Path) -> None:
    """Each lies under its own name; the last report is the whole; nothing is installed."""
    wheels = [write_wheel(local_pip, f"small-part{n}", {"small/data.bin": bytes(n)}) for n in (1, 2)]
    told: list[tuple[int, int]] = []
    arrived = download(wheels, folder, lambda _, done, total: told.append((done, total)), "small")
    assert sorted(path.name for path in arrived.iterdir()) == sorted(wheel.file_name for wheel in wheels)
    total = sum(wheel.bytes for wheel in wheels)
    assert told[-1] == (total, total)
    assert importlib.util.find_spec("small") is None


def test_another_digest_is_refused(local_pip: Path, folder: Path) -> None:
    """What the index offers is not what was pinned."""
    wheel = write_wheel(local_pip, "small", {"small/data.bin": b"1"})
    pinned = wheel.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(InputError, match="small: a wheel has another digest than the pinned one"):
        download([pinned], folder, silent, "small")


@pytest.mark.usefixtures("local_pip")
def test_a_wheel_that_no_one_offers(folder: Path) -> None:
    """An index without it, which is not the same as no network."""
    absent = Wheel(package="small-absent", version="1.0", bytes=1, sha256="0" * 64, member="small/data.bin")
    with pytest.raises(InputError, match="does not offer the pinned wheels"):
        download([absent], folder, silent, "small")


def test_an_sdist_is_never_built(local_pip: Path, folder: Path, tmp_path: Path) -> None:
    """Its build would run; its digest being the pinned one changes nothing."""
    witness = tmp_path / "ran"
    path = local_pip / "small-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {
            "small-1.0/pyproject.toml": (
                '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
            ),
            "small-1.0/backend.py": f"open({str(witness)!r}, 'w')\n",
            "small-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n",
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    pinned = Wheel(
        package="small",
        version="1.0",
        bytes=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        member="small/data.bin",
    )
    with pytest.raises(InputError, match="does not offer the pinned wheels"):
        download([pinned], folder, silent, "small")
    assert not witness.exists()


@pytest.mark.usefixtures("local_pip")
def test_no_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens where the index should be; pip's own last words blame the wheel."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    absent = Wheel(package="small", version="1.0", bytes=1, sha256="0" * 64, member="small/data.bin")
    with pytest.raises(InputError, match="small: no network: pip could not get the wheels"):
        download([absent], folder, silent, "small")


def test_no_pip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python without pip is told how to get it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"this Python has no pip.*-m ensurepip"):
        download([], folder, silent, "small")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "no disk space",
        ),
        ("ERROR: HTTP error 503 while getting https://example.org/small.whl", "no network"),
        ("\nERROR: something new\n\n", "pip failed: ERROR: something new"),
        ("", "pip failed: it said nothing"),
    ],
)
def test_what_pip_says_becomes_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, line: str
) -> None:
    """A pip that fails in other ways, played by a script."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit 1\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(InputError) as raised:
        download([], folder, silent, "small")
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)
