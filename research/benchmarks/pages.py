"""How long the site takes to build, and a preview to show an edit. Prints, fails nothing: `nox -s benchmark`.

The goals: one build, as the gate does it and without torch, within 45 s; an edit of a page, of `research/` or of
the site's own code is seen within 3 s. The preview runs on a copy, so that nothing here is edited.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parents[2]
PAGE = "evidence/how-we-measure"
PATIENCE = 60.0
# What is edited, the words that are there, and the page that then shows others.
EDITS = (
    (f"docs/{PAGE}.md", "# How we measure", f"{PAGE}.html"),
    ("research/register.toml", 'says = "cost ratio c:', "evidence/register.html"),
    ("src/speclab/site/tables/record.py", "command", "evidence/runs/{run}.html"),
)


def main() -> None:
    """Build, serve, edit, and print."""
    with TemporaryDirectory() as place:
        root = Path(place)
        for name in ("docs", "research", "src"):
            shutil.copytree(HERE / name, root / name)
        for name in ("mkdocs.yml", "README.md"):
            shutil.copy(HERE / name, root / name)
        print(f"one build, strict, without torch: {build(root):.1f} s")
        print(f"the checks of its HTML: {check(root):.1f} s")
        for edited, seconds in rebuilds(root):
            print(f"an edit of {edited} is seen after {seconds:.1f} s")


def build(root: Path) -> float:
    """Seconds of one build in a process that does not take torch along."""
    code = (
        "import sys; from mkdocs.__main__ import cli; cli(['build', '--strict'], standalone_mode=False); "
        "sys.exit('torch was imported' if 'torch' in sys.modules else 0)"
    )
    return _run([sys.executable, "-c", code], root)


def check(root: Path) -> float:
    """Seconds of the checks of the built pages."""
    return _run([sys.executable, "-m", "speclab.site.check", "site"], root)


def rebuilds(root: Path) -> Iterator[tuple[str, float]]:
    """Each edited file, and the seconds from the edit until its page shows it."""
    run = min(each.name for each in (root / "research" / "runs").iterdir())
    with serving(root) as address:
        for edited, words, page in EDITS:
            url = address + page.format(run=run)
            _until(url, "<h1")
            path = root / edited
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(words, f"{words} edited-just-now", 1), encoding="utf-8")
            start = time.perf_counter()
            _until(url, "edited-just-now")
            yield edited, time.perf_counter() - start


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """A preview of the copy, by the code of the copy; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=root, env=_environment(root), stdout=quiet, stderr=quiet) as process:
        try:
            yield f"http://127.0.0.1:{port}/lab/"
        finally:
            process.kill()


def _until(url: str, words: str) -> None:
    end = time.perf_counter() + PATIENCE
    while time.perf_counter() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own preview
                if words in answer.read().decode("utf-8"):
                    return
        except OSError:
            pass
        time.sleep(0.05)
    msg = f"{url} did not show {words!r} within {PATIENCE:.0f} s"
    raise TimeoutError(msg)


def _run(command: list[str], root: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=root, env=_environment(root), capture_output=True, check=True)
    return time.perf_counter() - start


def _environment(root: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(root / "src"), "NO_MKDOCS_2_WARNING": "1"}


if __name__ == "__main__":
    main()
