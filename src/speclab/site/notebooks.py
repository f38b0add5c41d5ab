"""The notebooks of the site: shown as they were run, and refused where they were changed since, or failed.

`python -m speclab.site.notebooks` checks them; with `--run` it executes each in place, and notes what was run.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError
from speclab.records.files import write_atomic
from speclab.site.gate import finish

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "docs"
NOTE = "speclab_digest"
"""Key in a notebook's metadata: the digest of the cells that its output was made by."""
TIMEOUT_S = 300
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
"""What runs every notebook, whatever it was last saved with."""


def digest(cells: list[Any]) -> str:
    """SHA-256 of what the cells say, their output left out.

    Args:
        cells: As they stand in the file.
    """
    said = [[cell["cell_type"], "".join(cell["source"])] for cell in cells]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def faults(root: Path) -> list[str]:
    """Why a notebook must not be shown: one line each.

    Args:
        root: The repository.
    """
    return [f"{path.relative_to(root)}: {fault}" for path in notebooks(root) for fault in _faults(path)]


def notebooks(root: Path) -> list[Path]:
    """Every notebook of the pages."""
    return sorted(path for path in (root / FOLDER).rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


def execute(path: Path) -> None:
    """Run a notebook from its first cell, in a folder of its own making, and save it with what came out.

    Raises:
        InputError: When a cell fails or takes too long, or the kernel dies; the file is left as it was.
    """
    import nbformat  # noqa: PLC0415 - wanted by nobody who only looks
    from nbclient import NotebookClient  # noqa: PLC0415
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError  # noqa: PLC0415

    book = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    try:
        NotebookClient(book, timeout=TIMEOUT_S, kernel_name=KERNEL["name"]).execute()
    except CellExecutionError as error:
        # What it says as a whole is a traceback in colours.
        msg = f"{path.name}: a cell failed: {f'{error.ename}: {error.evalue}'.splitlines()[0]}"
        raise InputError(msg) from None
    except CellTimeoutError:
        msg = (
            f"{path.name}: a cell ran for more than {TIMEOUT_S} s: make it shorter, a notebook is for small models"
        )
        raise InputError(msg) from None
    except DeadKernelError:
        msg = f"{path.name}: its kernel died, as one does that has not enough memory: use smaller models"
        raise InputError(msg) from None
    for cell in book.cells:
        # When each cell began and ended is noise in a diff.
        cell.metadata.pop("execution", None)
    book.metadata = {"kernelspec": KERNEL, NOTE: digest(book.cells)}
    write_atomic(path, nbformat.writes(book) + "\n")  # type: ignore[no-untyped-call]


def _faults(path: Path) -> Iterator[str]:
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
        cells, noted = book["cells"], book["metadata"].get(NOTE)
        now = digest(cells)
        failed = [
            number
            for number, cell in enumerate(cells, 1)
            if any(each["output_type"] == "error" for each in cell.get("outputs", ()))
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        yield f"it is not a notebook ({type(error).__name__}): save it again from Jupyter"
        return
    for number in failed:
        yield f"cell {number} failed when it was run: mend it, then `nox -s notebook`"
    if noted is None:
        yield "it was never run by this project: `nox -s notebook`"
    elif noted != now:
        yield "its cells were changed since it was run: `nox -s notebook`"


def main() -> None:
    """Check the notebooks of the current folder, or run them; exit 1 where one is not as it must be."""
    root = Path.cwd()
    if "--run" in sys.argv[1:]:
        finish(lambda: _run(root))
    finish(lambda: faults(root))


def _run(root: Path) -> list[str]:
    for path in notebooks(root):
        execute(path)
    return []


if __name__ == "__main__":
    main()
