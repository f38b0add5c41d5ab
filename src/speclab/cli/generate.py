"""`speclab generate`: stream from a real pair, and see which tokens were guessed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from speclab.cli.asking import cuts_of, require_sampled
from speclab.cli.output import JsonFlag, OutFile, emit, printable, stderr, stdout
from speclab.decoding.sampling import Sampling
from speclab.errors import InputError
from speclab.models.extras import LOADING, require
from speclab.records.plan import Device, Dtype, Pair

if TYPE_CHECKING:
    from speclab.decoding.generation import Generation
    from speclab.experiments.compare import Compared

OPEN, CLOSE = "⟦", "⟧"
"""Stand around a run of accepted tokens, for readers without colour."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def generate(
        prompt: Annotated[str, typer.Argument(help="Text to continue; - reads it from standard input.")],
        target: Annotated[str, typer.Option(help="Catalogue name, hub id, folder or GGUF file.")] = TARGET,
        draft: Annotated[str, typer.Option(help="The same, for the model that guesses.")] = DRAFT,
        dtype: Annotated[Dtype, typer.Option(help="What both compute in.")] = "bfloat16",
        device: Device = "cpu",
        k: Annotated[int, typer.Option(min=0, help="Tokens to propose in an iteration; 0 is plain decoding.")] = 4,
        max_new_tokens: Annotated[int, typer.Option(min=0)] = 128,
        temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 0.0,
        top_k: Annotated[int, typer.Option(help="0 keeps every token.")] = 0,
        top_p: Annotated[float, typer.Option(help="1 keeps every token.")] = 1.0,
        min_p: Annotated[float, typer.Option(help="0 keeps every token.")] = 0.0,
        seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of every random decision.")] = 0,
        *,
        chat: Annotated[bool, typer.Option("--chat", help="Send the prompt through the chat template.")] = False,
        compare: Annotated[bool, typer.Option("--compare", help="Then time it against plain decoding.")] = False,
        as_json: JsonFlag = False,
        out: OutFile = None,
    ) -> None:
        """Stream from a real pair; accepted tokens are marked, then come the rates."""
        require_sampled(temperature, cuts_of(top_k, top_p, min_p))
        sampling = Sampling(temperature, top_k, top_p, min_p)
        pair = Pair(target=target, draft=draft, dtype=dtype, device=device)
        text = given(prompt)

        require(LOADING, "generating")
        from speclab.experiments.streaming import Stream  # torch is loaded when the options are known to be right

        stream = Stream(pair, text, chat=chat, k=k, sampling=sampling, seed=seed, max_new_tokens=max_new_tokens)
        if not as_json:
            stdout.print(Text(printable(text), style="dim"), end="")
        for step, pieces in stream.steps():
            if not as_json:
                stdout.print(marked(pieces[: step.accepted], pieces[step.accepted :]), end="", soft_wrap=True)
        generation = stream.generation
        if not as_json:
            stdout.print(Text(printable(stream.rest)))
        against = None
        if compare and generation.ids:
            stderr.print("comparing with plain decoding, in turns …")
            against = stream.compare()
        emit(
            document(stream.text, generation, against, k),
            ["", *summary(generation, against)],
            as_json=as_json,
            out=out,
        )


TARGET = "qwen2.5-coder-1.5b-instruct"
DRAFT = "qwen2.5-coder-0.5b-instruct"


def given(prompt: str) -> str:
    """The text to continue: the argument, or standard input where it is a hyphen."""
    try:
        text = sys.stdin.buffer.read().decode() if prompt == "-" else prompt
    except UnicodeDecodeError as error:
        msg = f"standard input is not UTF-8 (byte {error.start}); convert it first"
        raise InputError(msg) from None
    if not text.strip():
        msg = "the prompt is empty; give a text to continue"
        raise InputError(msg)
    return text


def marked(accepted: list[str], own: list[str]) -> Text:
    """One iteration's text: accepted tokens in colour and brackets, the target's own token plain."""
    shown = Text()
    if accepted:
        shown.append(OPEN, style="green dim")
        shown.append(printable("".join(accepted)), style="green")
        shown.append(CLOSE, style="green dim")
    shown.append(printable("".join(own)))
    return shown


def summary(generation: Generation, against: Compared | None) -> list[Text]:
    """The rates, a line each."""
    passes = f"{len(generation.ids)} tokens in {len(generation.iterations)} passes of the target"
    lines = [f"{passes}; ended by {generation.finish}"]
    if generation.alpha is not None and generation.tokens_per_iteration is not None:
        rates = f"tokens per iteration {generation.tokens_per_iteration:.2f}, alpha {generation.alpha:.3f}"
        lines.append(f"{rates} ({len(generation.complete)} complete iterations; accepted tokens in {OPEN}{CLOSE})")
    if against is not None:
        lines.append(
            f"speed against plain {against.speedup:.2f} times, over {against.tokens} tokens of one prompt"
        )
        baseline = f"plain {against.plain_tokens_per_second:.1f} tokens/s, plain against plain {against.noise:.3f}"
        lines.append(f"({baseline}; prefill not counted)")
    return [Text(line) for line in lines]


def document(text: str, generation: Generation, against: Compared | None, k: int) -> dict[str, Any]:
    """The same as data."""
    return {
        "text": text,
        "ids": list(generation.ids),
        "finish": generation.finish,
        "k": k,
        "passes": len(generation.iterations),
        "complete_iterations": len(generation.complete),
        "tokens_per_iteration": generation.tokens_per_iteration,
        "alpha": generation.alpha,
        "prefill_ns": generation.prefill_ns,
        "decode_ns": generation.decode_ns,
        "iterations": [
            {"proposed": list(each.proposed), "accepted": each.accepted, "committed": list(each.committed)}
            for each in generation.iterations
        ],
        "compare": None
        if against is None
        else {
            "speedup": against.speedup,
            "plain_ns": list(against.plain_ns),
            "speculative_ns": against.speculative_ns,
            "tokens": against.tokens,
        },
    }
