"""The entry point: it gathers the commands, and turns every ending into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, cast

import typer

from speclab.errors import CheckError, InputError

# Each module holds the commands of one group and adds them itself; heavy imports wait inside the commands.
GROUPS = (
    "demo",
    "fetch",
    "generate",
    "timing",
    "acceptance",
    "speed",
    "divergence",
    "distribution",
    "disagreement",
    "exactness",
    "margins",
    "evidence",
)

CHECK_FAILED = 1
WRONG_USE = 2
# What typer raises on wrong use; it exports only this child of it.
UsageError = cast("type[Exception]", typer.BadParameter.__base__)


def application() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="speclab",
        help="Speculative decoding, measured on your pair, your machine and your text.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def _group() -> None:
        """Speculative decoding, measured on your pair, your machine and your text."""

    for name in GROUPS:
        import_module(f"speclab.cli.{name}").add_to(app)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit: 0, 1 (a check failed), 2 (wrong use or unusable input), 130 (stopped).

    Ctrl-C is turned into 130 by typer itself.
    """
    try:
        sys.exit(application()(arguments, prog_name="speclab", standalone_mode=False) or 0)
    except UsageError as error:
        _say_wrong_use(error)
        sys.exit(WRONG_USE)
    except InputError as error:
        _say(error)
        sys.exit(WRONG_USE)
    except CheckError as error:
        _say(error)
        sys.exit(CHECK_FAILED)


def _say_wrong_use(error: Any) -> None:
    """One line, or the help of a group that was called without a command."""
    message = error.format_message()
    if message.startswith("Usage:"):
        print(message, file=sys.stderr)
    else:
        command = error.ctx.command_path if error.ctx else "speclab"
        _say(f"{' '.join(message.split()).rstrip('.')} (see `{command} --help`)")


def _say(message: object) -> None:
    print(f"speclab: {message}", file=sys.stderr)
