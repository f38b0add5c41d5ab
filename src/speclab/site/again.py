"""Whether a second build writes the same bytes: `python -m speclab.site.again site`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from speclab.site.gate import finish


def differing(site: Path, other: Path) -> list[str]:
    """One line for each file that is not the same in two built sites, or stands in one alone."""
    first, second = _files(site), _files(other)
    return [
        f"{name}: {_what(first.get(name), second.get(name))}"
        for name in sorted(first.keys() | second.keys())
        if first.get(name) != second.get(name)
    ]


def _files(site: Path) -> dict[str, bytes]:
    return {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def _what(first: bytes | None, second: bytes | None) -> str:
    if first is None or second is None:
        return f"only the {'second' if first is None else 'first'} build wrote it"
    at = next((place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        return f"{len(first)} bytes in the first build and {len(second)} in the second"
    around = slice(max(0, at - 30), at + 30)
    return f"byte {at} differs: {first[around]!r} and {second[around]!r}"


def rebuilt(site: Path, root: Path) -> list[str]:
    """One line for each file that a second build of a repository, from another folder, writes otherwise."""
    with TemporaryDirectory() as place:
        other = Path(place) / "site"
        # Another folder and another order of sets and dictionaries by hash: neither may show.
        build = ("build", "--strict", "-f", str(root / "mkdocs.yml"), "-d", str(other))
        said = subprocess.run(
            [sys.executable, "-m", "mkdocs", *build],
            cwd=place,
            env=os.environ | {"PYTHONHASHSEED": "7"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if said.returncode:
            faults = [f"it failed where the first did not: {said.stderr[-2000:]}"]
        else:
            faults = differing(site, other)
    return [f"a second build: {line}" for line in faults]


def main() -> None:
    """Build the site of the current folder once more; exit 1 where a byte differs."""
    finish(lambda: rebuilt(Path(sys.argv[1] if len(sys.argv) > 1 else "site"), Path.cwd()))


if __name__ == "__main__":
    main()
