"""The options of every command that measures a plan or a part of it."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from pydantic import ValidationError

from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.experiments.overrides import Overrides
    from speclab.records.plan import SamplingPlan

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
Temperature: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Sample at this temperature (speed and acceptance); 0 is greedy. One value a run: two runs, with "
        "--temperature 0 and --temperature 0.7, give the comparison."
    ),
]
"""Commands that cannot sample take it only to say why."""
TopK: TypeAlias = Annotated[int, typer.Option(min=0, help="With a temperature: keep the likeliest k, 0 all.")]
TopP: TypeAlias = Annotated[float, typer.Option(help="With a temperature: keep the likeliest with this mass.")]
Fetch: TypeAlias = Annotated[bool, typer.Option("--fetch", help="Bring models that are not here yet.")]


def overrides(
    target: str | None,
    draft: str | None,
    dtype: str | None,
    device: str | None,
    ks: str | None,
    prompts: Path | None,
    new_tokens: int | None = None,
    sampling: SamplingPlan | None = None,
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
        sampling=sampling,
    )


def sampling_of(temperature: float | None, top_k: int, top_p: float) -> SamplingPlan | None:
    """The sampling that was asked for, or None.

    Raises:
        InputError: When it is none, or has cuts where nothing is sampled.
    """
    from speclab.records.plan import SamplingPlan
    from speclab.records.plans import first_fault

    cuts = cuts_of(top_k, top_p)
    require_sampled(temperature, cuts)
    if temperature is None:
        return None
    if not math.isfinite(temperature):
        msg = f"--temperature reads as {temperature:g}: give a finite number, 0 or above, for instance 0.7"
        raise InputError(msg)
    try:
        return SamplingPlan(temperature=temperature, top_k=top_k, top_p=top_p)
    except ValidationError as error:
        cut = f" --top-k {top_k} --top-p {top_p:g}" if cuts else ""
        msg = f"--temperature {temperature:g}{cut}: {first_fault(error)}"
        raise InputError(msg) from None


def cuts_of(top_k: int, top_p: float, min_p: float = 0.0) -> tuple[str, ...]:
    """The options given that cut what is sampled."""
    given = {"--top-k": top_k != 0, "--top-p": top_p != 1, "--min-p": min_p != 0}
    return tuple(name for name, there in given.items() if there)


def require_sampled(temperature: float | None, cuts: tuple[str, ...]) -> None:
    """Refuse cuts where nothing is sampled.

    Raises:
        InputError: With the options that would do nothing.
    """
    from speclab.decoding.sampling import GREEDY_BELOW

    if cuts and (temperature is None or 0 <= temperature < GREEDY_BELOW):
        named = " and ".join(cuts)
        msg = (
            f"greedy decoding takes the likeliest token and leaves {named} nothing to cut: "
            f"give a --temperature above 0, for instance 0.7, or leave {named} out"
        )
        raise InputError(msg)


def this_command() -> str:
    """The command as it may be published."""
    from speclab.experiments.home import command_line

    return command_line(sys.argv)
