"""`speclab demo`: the loop on a model of a dozen words, every iteration shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.text import Text

from speclab.backends import words
from speclab.backends.table import NumpySource
from speclab.cli.output import JsonFlag, OutFile, emit, table
from speclab.decoding.generation import Gathered, Generation, collect
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.errors import CheckError

PROMPT = "a draft"
NEW_TOKENS = 24


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def demo(
        k: Annotated[int, typer.Option(min=0, max=16, help="Tokens to propose in an iteration.")] = 4,
        *,
        as_json: JsonFlag = False,
        out: OutFile = None,
    ) -> None:
        """Show the loop on a model of a dozen words: proposed, kept, corrected, caches. Needs no torch."""
        run = walk_through(k)
        document = {
            "prompt": PROMPT,
            "k": k,
            "iterations": run.steps,
            "output": words.text(run.speculative.ids),
            "plain_passes": len(run.plain.iterations),
            "speculative_passes": len(run.speculative.iterations),
            "alpha": run.speculative.alpha,
            "equal_to_plain": run.equal,
        }
        columns = ("iteration", "proposed", "kept", "the target's own", "target's cache", "draft's cache")
        rows = [(number, *step.values()) for number, step in enumerate(run.steps, 1)]
        shown = [
            table(f"greedy, k = {k}, after the prompt “{PROMPT}”", columns, rows),
            Text(f"output: {document['output']}"),
            Text(
                f"{len(run.speculative.ids)} tokens in {len(run.speculative.iterations)} passes of the target; "
                f"plain decoding took {len(run.plain.iterations)}"
            ),
            Text("equal to plain decoding, token for token: " + ("yes" if run.equal else "NO")),
        ]
        emit(document, shown, as_json=as_json, out=out)
        if not run.equal:
            msg = "greedy speculation differs from plain decoding; the loop or a rule is wrong"
            raise CheckError(msg)


@dataclass(frozen=True)
class WalkThrough:
    """Both generations, and the speculative one step by step."""

    steps: list[dict[str, Any]]
    speculative: Generation
    plain: Generation

    @property
    def equal(self) -> bool:
        """Whether both committed the same tokens."""
        return self.speculative.ids == self.plain.ids


def walk_through(k: int) -> WalkThrough:
    """Run the shipped loop on the words, looking at both caches after each iteration."""
    prompt = words.ids(PROMPT)
    draft = words.draft()
    arguments: dict[str, Any] = {"sampling": GREEDY, "source": NumpySource(0), "max_new_tokens": NEW_TOKENS}
    steps: list[dict[str, Any]] = []
    gathered = Gathered(speculative(words.target(), DraftModel(draft), prompt, k=k, **arguments))
    for step in gathered:
        kept = step.proposed[: step.accepted]
        own = "bonus: " if step.accepted == len(step.proposed) else "correction: "
        steps.append(
            {
                "proposed": words.text(step.proposed),
                "kept": words.text(kept),
                "own": own + words.text(step.committed[len(kept) :]),
                "target_cache": step.target_length,
                "draft_cache": draft.length,
            }
        )
    return WalkThrough(steps, gathered.generation, collect(plain(words.target(), prompt, **arguments)))
