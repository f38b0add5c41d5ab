"""The entry point: it gathers the commands, and turns every ending into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module

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

    Typer itself ends wrong use with 2, and Ctrl-C with 130.
    """
    try:
        application()(arguments)
    except InputError as error:
        _say(error)
        sys.exit(WRONG_USE)
    except CheckError as error:
        _say(error)
        sys.exit(CHECK_FAILED)


def _say(message: object) -> None:
    print(f"speclab: {message}", file=sys.stderr)
