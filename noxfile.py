"""The ways to work on this project; plain `nox` runs what continuous integration runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
CONSTRAINTS = ("-c", "constraints.txt")

# The `venv` backend: other installers pass over a CPU build of torch that pip finds beside the index.
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["lint", "types", "tests", "oldest", "integration", "docs", "browser"]

GROUPS = nox.project.load_toml("pyproject.toml")["dependency-groups"]


@nox.session
def tests(session: nox.Session) -> None:
    """The unit tests; no weights are downloaded."""
    install(session, ".[models,site]", *GROUPS["tests"])
    session.run("pytest", "-n", "auto", *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting, and the layers between the rooms."""
    install(session, ".", *GROUPS["lint"])
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Strict static types."""
    install(session, ".[models,site]", "nox", *GROUPS["tests"], *GROUPS["types"], *GROUPS["browser"])
    session.run("mypy")


@nox.session
def oldest(session: nox.Session) -> None:
    """The decoding and cache tests under the oldest transformers that is supported."""
    torch = next(
        line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line.startswith("torch==")
    )
    session.install("-e", ".[models]", torch, "transformers==5.17.0", *GROUPS["tests"])
    session.run("pytest", "-n", "auto", "tests/decoding", "tests/backends", env={"OMP_NUM_THREADS": "1"})


@nox.session
def integration(session: nox.Session) -> None:
    """The loop on real weights: SmolLM2-135M, fetched where it is not there yet (93 MB)."""
    install(session, ".[models,site]", *GROUPS["tests"])
    session.run("speclab", "fetch", "smollm2-135m-instruct")
    session.run("pytest", "-m", "integration", "tests/integration", *session.posargs)


@nox.session
def calibrate(session: nox.Session) -> None:
    """Whether the sampled tests alarm as often as they say, over a thousand seeds; prints what it finds."""
    install(session, ".[models]", *GROUPS["tests"])
    session.run(
        "pytest",
        "-n",
        "auto",
        "-m",
        "calibration",
        "tests/calibration",
        *session.posargs,
        env={"OMP_NUM_THREADS": "1"},
    )


@nox.session
def validate(session: nox.Session) -> None:
    """The runs, the plans and the register: schema, digests, claims."""
    install(session, ".[site]")
    session.run("speclab", "evidence", "check")


@nox.session
def fresh(session: nox.Session) -> None:
    """Whether the code that made the shown runs is the code that is here; asked before pages are published."""
    install(session, ".[site]")
    session.run("speclab", "evidence", "check", "--fresh")


@nox.session
def docs(session: nox.Session) -> None:
    """Validate, lint the numerals, build strictly without torch, check the HTML, and build once more.

    The second build has to write the same bytes.

    `-- --write` first writes the register as a text and the README's numbers again; `-- --numbers` lists every
    number of the pages with where it comes from.
    """
    validate(session)
    session.run("python", "-m", "speclab.site.numerals")
    session.run("python", "-m", "speclab.site.notebooks")
    session.run("python", "-m", "speclab.site.written", *(each for each in session.posargs if each == "--write"))
    # Neither -q nor -v: both let faults through.
    session.run("mkdocs", "build", "--strict", "--clean")
    session.run("python", "-m", "speclab.site.check", "site")
    session.run("python", "-m", "speclab.site.again", "site")
    if "--numbers" in session.posargs:
        session.run("python", "-m", "speclab.site.listing", "site")


@nox.session
def notebook(session: nox.Session) -> None:
    """Run the notebook from its first cell, with models made on the spot, and save it with what came out."""
    install(session, ".[models,site]")
    session.run("python", "-m", "speclab.site.notebooks", "--run")


@nox.session
def browser(session: nox.Session) -> None:
    """Read every page in Chromium: narrow and wide, light and dark, printed, offline, without a script."""
    path = chromium()
    if path is None:
        session.skip("there is no Chromium: install the system's package chromium, or name it in CHROMIUM")
    install(session, ".[site]", *GROUPS["tests"], *GROUPS["browser"])
    session.run("pytest", "-m", "browser", "tests/browser", *session.posargs, env={"CHROMIUM": path})


@nox.session
def serve(session: nox.Session) -> None:
    """Preview the site while writing; faults are shown in the page."""
    install(session, ".[site]")
    session.run("mkdocs", "serve", *session.posargs)


@nox.session
def evidence(session: nox.Session) -> None:
    """Fetch the pair, run a plan on this machine, and build the page that shows it.

    Options after `--` go to `speclab evidence run`: `--plan NAME`, `--resume`.
    """
    install(session, ".[models,site]")
    session.run("speclab", "evidence", "run", "--fetch", *session.posargs)
    session.run("mkdocs", "build")


@nox.session
def benchmark(session: nox.Session) -> None:
    """Print how fast things are; fails nothing."""
    install(session, ".[models,site]", *GROUPS["browser"])
    session.run("python", "research/benchmarks/draws.py")
    session.run("python", "research/benchmarks/overhead.py")
    session.run("python", "research/benchmarks/pages.py")
    if path := chromium():
        session.run("mkdocs", "build", "--strict")
        session.run("python", "research/benchmarks/reading.py", env={"CHROMIUM": path})


def chromium() -> str | None:
    """The system's own Chromium, or the one that is named."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def install(session: nox.Session, *what: str) -> None:
    """Install the package, editable, and whatever a session needs beside it, at the pinned versions."""
    package, *rest = what
    session.install(*CONSTRAINTS, "-e", package, *rest)
