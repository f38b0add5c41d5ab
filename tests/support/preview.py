"""A preview in a process of its own, and how to wait for what it shows."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """A preview, and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    said = (root / "said.txt").open("w", encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "OMP_NUM_THREADS": "1"}
    with said, subprocess.Popen(command, cwd=root, env=environment, stdout=said, stderr=said) as process:
        try:
            yield f"http://127.0.0.1:{port}/lab/"
        finally:
            process.kill()


def until(address: str, shows: Callable[[BeautifulSoup], bool], said: Path) -> BeautifulSoup:
    """The page, once it shows what is waited for."""
    end = time.monotonic() + 100
    soup = BeautifulSoup("", "html.parser")
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own preview
                soup = BeautifulSoup(answer.read(), "html.parser")
        except OSError:
            time.sleep(0.3)
            continue
        if shows(soup):
            return soup
        time.sleep(0.3)
    msg = f"{address} never showed it: {soup.get_text()[-2000:]}\n{said.read_text(encoding='utf-8')[-3000:]}"
    raise AssertionError(msg)
