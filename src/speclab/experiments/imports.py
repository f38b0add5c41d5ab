"""Which files of the package a measurement executes: what its modules import, and what that imports in turn."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROOMS = frozenset({"backends", "decoding", "experiments", "measure", "models", "prompts", "theory"})
"""The command line, the records, the evidence and the site come before or after the measuring."""


def executed_files(package: Path, roots: Iterable[str]) -> tuple[Path, ...]:
    """The files that a number can depend on.

    Imports are read from the text, those inside functions too; those for type checkers alone do nothing. Data that
    lies beside an executed module counts as read by it.

    Args:
        package: The folder of the package.
        roots: Modules that are executed, for instance `experiments.runner`.
    """
    found: dict[str, Path] = {}
    pending = [*roots]
    while pending:
        module = pending.pop()
        path = _file(package, module)
        if module in found or module.split(".")[0] not in ROOMS or path is None:
            continue
        found[module] = path
        pending += _imports(path, package.name)
        pending += [module.rpartition(".")[0]] if "." in module else []
    folders = {path.parent for path in found.values()}
    beside = (each for folder in folders for each in folder.iterdir() if each.is_file())
    return tuple(sorted({*found.values(), *(each for each in beside if each.suffix not in {".py", ".pyc"})}))


def _file(package: Path, module: str) -> Path | None:
    """The file of a module or a package, or None where the name is that of something inside a module."""
    path = package.joinpath(*module.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _imports(path: Path, package: str) -> Iterator[str]:
    """Names within the package that a file imports; a name taken from a module may be a module itself."""
    for node in _executed(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        yield from (name.removeprefix(f"{package}.") for name in names if name.startswith(f"{package}."))


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but the bodies of `if TYPE_CHECKING:`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            for other in child.orelse:
                yield other
                yield from _executed(other)
            continue
        yield child
        yield from _executed(child)
