"""Code that a page shows: the package's own, read from its source, so that it cannot drift from what is run."""

from __future__ import annotations

import ast
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import speclab
from speclab.errors import InputError
from speclab.site.blocks import runless
from speclab.site.building import current
from speclab.site.html import Html, code, text

PACKAGE = Path(speclab.__file__).parent


@runless
def loop() -> str:
    """The loop itself."""
    return _listing("decoding/loop.py", "speculative")


@runless
def accept_greedy() -> str:
    """The rule for greedy decoding."""
    return _listing("decoding/rules.py", "accept_greedy")


@runless
def accept_sample() -> str:
    """The rule for sampling: when a guess stands, what replaces it, and the order of the decisions."""
    return _listing("decoding/rules.py", "accept_probability", "residual", "check_in_order")


def _listing(file: str, *names: str) -> Html:
    """Functions of one file as they stand there, without their docstrings.

    Args:
        file: Of the package.
        names: Functions at the top level of it, in the order in which they are shown.

    Raises:
        InputError: When the file has no such function.
    """
    current().ask("package", file.partition("/")[0])
    source = (PACKAGE / file).read_text(encoding="utf-8")
    found = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    for name in names:
        if name not in found:
            msg = f"src/speclab/{file} has no function {name}: name one that is there, or mend the listing"
            raise InputError(msg)
    shown = "\n\n\n".join(_without_docstring(source, found[name]) for name in names)
    coloured = highlight(shown, PythonLexer(), HtmlFormatter(cssclass="highlight", wrapcode=True))
    said = text("From ") + code(f"src/speclab/{file}") + text(", without docstrings.")
    return Html(f'<div class="lab-listing">{coloured}<p class="lab-note">{said}</p></div>')


def _without_docstring(source: str, function: ast.FunctionDef) -> str:
    lines = source.splitlines()
    first, *_ = function.body
    silent: range = range(0)
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.end_lineno:
        silent = range(first.lineno, first.end_lineno + 1)
    return "\n".join(
        lines[number - 1]
        for number in range(function.lineno, (function.end_lineno or function.lineno) + 1)
        if number not in silent
    )
