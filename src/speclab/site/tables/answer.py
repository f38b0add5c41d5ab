"""What a run answers, as the command prints it at the end."""

from __future__ import annotations

from speclab.evidence.answer import answer
from speclab.site.blocks import block
from speclab.site.html import Html, text
from speclab.site.runs import run_link, run_of


@block
def five_lines(run_id: str | None = None) -> str:
    """The five lines of a run, each below its name."""
    run = run_of(run_id)
    lines = (line.partition(": ") for line in answer(run))
    listed = "".join(f"<dt>{text(name)}</dt><dd>{text(said)}</dd>" for name, _, said in lines)
    return Html(f'<dl class="lab-answer">{listed}</dl><p class="lab-note">Run {run_link(run.record.id)}.</p>')
