"""What a pass costs."""

from __future__ import annotations

from speclab.evidence.estimates.sizes import ratio_of_bytes, ratio_of_layers, ratio_of_parameters
from speclab.evidence.estimates.timing import cost_ratio, pass_lengths, pass_ms, verify_ratio
from speclab.site.blocks import block
from speclab.site.html import facts, shown, table
from speclab.site.runs import run_of


@block
def pass_times(run_id: str | None = None) -> str:
    """Time of a pass by its number of tokens, for both models, and against a pass over one token."""
    run = run_of(run_id)
    rows = [
        (
            n,
            shown(pass_ms(run, model="target", tokens=n), ".1f ms"),
            shown(verify_ratio(run, n=n, model="target"), ".2f"),
            shown(pass_ms(run, model="draft", tokens=n), ".1f ms"),
            shown(verify_ratio(run, n=n, model="draft"), ".2f"),
        )
        for n in pass_lengths(run, "target")
    ]
    return table(
        f"A pass by its number of tokens, run {run.record.id}",
        ("tokens", "target", "over one token", "draft", "over one token"),
        "rrrrr",
        rows,
        note=f"Geometric means over {run.record.plan.timing.cycles} cycles, each of which visits every length of both "
        f"models once, after {run.record.plan.timing.context_tokens} tokens of context.",
    )


@block
def cost_ratios(run_id: str | None = None) -> str:
    """The cost ratio beside the ratios that one might guess it from."""
    run = run_of(run_id)
    return facts(
        f"Draft against target, run {run.record.id}",
        (
            ("time of a step: the cost ratio c", shown(cost_ratio(run), ".3f")),
            ("bytes of weights", shown(ratio_of_bytes(run), ".3f")),
            ("parameters", shown(ratio_of_parameters(run), ".3f")),
            ("layers", shown(ratio_of_layers(run), ".3f")),
        ),
    )
