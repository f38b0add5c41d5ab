"""`mkdocs serve`: a second run renumbers the pages, and what no longer holds is shown in its place."""

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

from small_site import RUN, adopt_run, copy_site, lean, replace
from speclab.evidence.register import Register
from synthetic import synthetic_run

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


def text_of(soup: BeautifulSoup, claim: str) -> str | None:
    tag = soup.find("a", attrs={"data-claim": claim})
    return tag.get_text() if tag else None


def test_a_second_run_renumbers_the_pages_and_names_what_no_longer_holds(tmp_path: Path) -> None:
    """Adopted while the preview runs: new numbers, and the sentence that lost its ground as a fault."""
    root = copy_site(tmp_path / "site")
    lean(root, "pass.draft", "value < pass.target")
    before = Register(root).show("c")
    with serving(root) as address:
        page = f"{address}chapter/cost-and-speed.html"
        first = until(page, lambda soup: text_of(soup, "c") == before, root / "said.txt")
        assert first.find(class_="fault") is None
        assert RUN in first.get_text()
        # A draft slower than the target: everything changes, and "one step of the draft" loses its ground.
        adopt_run(root, *synthetic_run("quick-second", seed=5, slow=3))
        after = Register(root).show("c")
        assert after != before
        second = until(page, lambda soup: text_of(soup, "c") == after, root / "said.txt")
        assert RUN not in second.get_text()
        faults = [tag.get_text() for tag in second.find_all(class_="fault")]
        assert any("[=pass.draft]: `value < pass.target` no longer holds" in each for each in faults)
        # A fault of the page itself is shown too, and the preview lives on.
        replace(root / "docs" / "index.md", "What was found", "What was found [=speed.nothing]")
        until(address, lambda soup: "unknown id speed.nothing" in soup.get_text(), root / "said.txt")
