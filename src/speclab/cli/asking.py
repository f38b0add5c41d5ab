"""The options of every command that measures a plan or a part of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.experiments.overrides import Overrides

PlanName: TypeAlias = Annotated[
    str | None,
    typer.Option("--plan", help="A plan of research/plans; by default `gpu` with a card, else `quick`."),
]
Target: TypeAlias = Annotated[str | None, typer.Option(help="Another target: catalogue, hub id, folder, GGUF.")]
Draft: TypeAlias = Annotated[str | None, typer.Option(help="Another draft, likewise.")]
DtypeName: TypeAlias = Annotated[str | None, typer.Option("--dtype", help="bfloat16, float16 or float32.")]
DeviceName: TypeAlias = Annotated[str | None, typer.Option("--device", help="cpu or cuda.")]
Ks: TypeAlias = Annotated[str | None, typer.Option("--k", help="Proposals an iteration, for instance 1,2,4.")]
NewTokens: TypeAlias = Annotated[
    int | None, typer.Option("--new-tokens", help="Tokens that every arm generates, for instance 64.")
]
PromptFile: TypeAlias = Annotated[
    Path | None, typer.Option("--prompts", help="Prompts of another file: MT-bench, HumanEval, or plain lines.")
]
Temperature: TypeAlias = Annotated[float, typer.Option(hidden=True)]
"""Taken only to say why it is not."""
Fetch: TypeAlias = Annotated[bool, typer.Option("--fetch", help="Bring models that are not here yet.")]


def overrides(
    target: str | None,
    draft: str | None,
    dtype: str | None,
    device: str | None,
    ks: str | None,
    prompts: Path | None,
    new_tokens: int | None = None,
) -> Overrides:
    """The departures from the plan that were asked for.

    Raises:
        InputError: On a `--k` that is no list of numbers.
    """
    from speclab.experiments.overrides import Overrides

    try:
        numbers = tuple(int(each) for each in ks.split(",")) if ks is not None else None
    except ValueError:
        msg = f"--k {ks}: whole numbers with commas between them, for instance 1,2,4"
        raise InputError(msg) from None
    return Overrides(
        target=target,
        draft=draft,
        dtype=dtype,
        device=device,
        ks=numbers,
        new_tokens=new_tokens,
        prompts=prompts,
    )


def this_command() -> str:
    """The command as it may be published."""
    from speclab.experiments.home import command_line

    return command_line(sys.argv)
