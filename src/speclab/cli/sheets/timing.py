"""Tables of `speclab timing`: what a pass costs, and what the two models weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, figure, row
from speclab.evidence.estimates.timing import pass_lengths

if TYPE_CHECKING:
    from speclab.records.reader import Run


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    return passes(run), ratios(run), iterations(run), sizes(run)


def passes(run: Run) -> Sheet:
    """Time of a pass over n tokens, and against a pass over one."""
    columns = ("tokens", "target, ms", "draft, ms", "v(n) of the target", "v(n) of the draft")
    rows = tuple(
        row(
            str(n),
            *(figure(run, "pass_ms", ".1f", model=model, tokens=n) for model in ("target", "draft")),
            *(figure(run, "verify_ratio", ".3f", model=model, n=n) for model in ("target", "draft")),
        )
        for n in pass_lengths(run, "target")
    )
    context = run.record.plan.timing.context_tokens
    return Sheet(f"One pass after {context} tokens; in brackets the 95 % interval over the cycles", columns, rows)


def ratios(run: Run) -> Sheet:
    """The cost ratio beside what it could have been read off."""
    rows = (
        row("step time, the cost ratio c", figure(run, "cost_ratio", ".3f")),
        row("bytes of weights", figure(run, "ratio_of_bytes", ".3f")),
        row("parameters", figure(run, "ratio_of_parameters", ".3f")),
        row("layers", figure(run, "ratio_of_layers", ".3f")),
    )
    return Sheet("Draft / target", ("of", "ratio"), rows)


def iterations(run: Run) -> Sheet:
    """What an iteration would cost by c and v, and from which acceptance rate on it would pay."""
    rows = tuple(
        row(
            str(n - 1),
            str(n),
            figure(run, "steps_by_formula", ".2f", k=n - 1),
            figure(run, "break_even_by_formula", ".2f", k=n - 1),
        )
        for n in pass_lengths(run, "target")
        if n > 1
    )
    columns = ("k", "tokens at most", "steps", "pays from alpha")
    return Sheet("An iteration with k guesses, by c and v alone", columns, rows)


def sizes(run: Run) -> Sheet:
    """Bytes of weights, of the caches, and the most that the run held."""
    roles = ("target", "draft")
    rows = (
        row("weights", *(figure(run, "weight_bytes", ".2f GB", model=model) for model in roles)),
        row(
            "cache, 1000 tokens",
            *(figure(run, "cache_bytes", ".1f MB", model=model, tokens=1000) for model in roles),
        ),
        row("peak of the run, both models", figure(run, "peak_bytes", ".2f GB"), ""),
    )
    return Sheet("Memory", ("of", *roles), rows)
