"""The simulated run's outputs against plain's, with one planted tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.rows import Comparison, Difference, DivergenceCell, Way
from synthetic_rows import DIFFERING, outputs

if TYPE_CHECKING:
    from speclab.records.plan import Plan


def divergence_cell(plan: Plan, kind: str, number: int) -> DivergenceCell:
    """Every arm and round against plain; the planted tie where there is one."""
    differs = kind == DIFFERING and number == 1
    largest = max(plan.speed.ks)
    index = plan.speed.new_tokens // 3
    comparisons = [
        Comparison(
            arm=arm,
            k=k,
            round=turn,
            identical=not (differs and k == largest),
            index=index if differs and k == largest else None,
            difference=0 if differs and k == largest else None,
        )
        for turn in range(plan.speed.rounds)
        for arm, k in (("plain_again", 0), *(("draft", k) for k in plan.speed.ks))
    ]
    ids = outputs(kind, number, 0, plan.speed.ks, plan.speed.new_tokens)
    ways = tuple(
        Way(name=name, plain_logit=19.0, arm_logit=19.0 + shift, favours="arm" if shift else "neither")
        for name, shift in (("prefill and one step", 0.125), ("prefill and k + 1", 0.125), ("one prefill", 0.0))
    )
    exact = tuple(each.model_copy(update={"arm_logit": 19.01, "favours": "arm"}) for each in ways)
    difference = Difference(
        arm="draft",
        k=largest,
        index=index,
        prefix_sha256="ab" * 32,
        plain_token=ids[index],
        arm_token=ids[index] + 1,
        plain_text=" <b>plain</b>",
        arm_text="```exec\n[=id]",
        gap=0.0,
        spacing=0.125,
        noise=0.25,
        float32_noise=0.00001,
        row_noise=0.375,
        ways=ways,
        float32=exact,
        plain_repeats=True,
        arm_repeats=True,
        verdict="tie",
    )
    return DivergenceCell(
        prompt=f"{kind}-{number}",
        kind=kind,
        comparisons=tuple(comparisons),
        differences=(difference,) if differs else (),
    )
