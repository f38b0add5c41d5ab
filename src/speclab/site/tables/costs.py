"""What a pass costs."""

from __future__ import annotations

from speclab.evidence.estimates.timing import pass_lengths
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import facts, table


@block
def pass_times(run_id: str | None = None) -> str:
    """Time of a pass by its number of tokens, for both models, and against a pass over one token."""
    cell = Cells(run_id)
    timing = cell.run.record.plan.timing
    rows = [
        (
            n,
            cell("pass_ms", ".0f ms", model="target", tokens=n),
            cell("verify_ratio", ".2f", n=n, model="target"),
            cell("pass_ms", ".0f ms", model="draft", tokens=n),
            cell("verify_ratio", ".2f", n=n, model="draft"),
        )
        for n in pass_lengths(cell.run, "target")
    ]
    return table(
        f"A pass by its number of tokens, run {cell.run.record.id}",
        ("tokens", "target", "over one token", "draft", "over one token"),
        "rrrrr",
        rows,
        note=f"Geometric means over {timing.cycles} cycles, each of which visits every length of both models, "
        f"after {timing.context_tokens} tokens of context.",
    )


@block
def cost_ratios(run_id: str | None = None) -> str:
    """The cost ratio beside the ratios that one might guess it from."""
    cell = Cells(run_id)
    return facts(
        f"Draft against target, run {cell.run.record.id}",
        (
            ("time of a step: the cost ratio c", cell("cost_ratio", ".2f")),
            ("bytes of weights", cell("ratio_of_bytes", ".2f")),
            ("parameters", cell("ratio_of_parameters", ".2f")),
            ("layers", cell("ratio_of_layers", ".2f")),
        ),
    )


@block
def iterations(run_id: str | None = None) -> str:
    """What an iteration with k guesses costs by c and v, and from which acceptance rate on it would pay."""
    cell = Cells(run_id)
    rows = [
        (n - 1, n, cell("steps_by_formula", ".2f", k=n - 1), cell("break_even_by_formula", ".2f", k=n - 1))
        for n in pass_lengths(cell.run, "target")
        if n > 1
    ]
    return table(
        f"An iteration with k guesses, run {cell.run.record.id}",
        ("k", "tokens at most", "costs steps", "pays from α"),
        "rrrr",
        rows,
        note="By c and v alone. A dash: it costs at least as many steps as it can write tokens; no α is enough.",
    )
