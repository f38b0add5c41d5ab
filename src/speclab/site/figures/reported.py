"""How do the reported figures compare with what was measured here?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.site.blocks import runless
from speclab.site.building import current
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.numbers import number

if TYPE_CHECKING:
    from speclab.evidence.values import Value

NAME = "reported-and-measured"
PAIRS = (
    ("α, k = 1", "reported.acceptance.alpha.k1", "alpha.k1"),
    ("α, k = 2", "reported.acceptance.alpha.k2", "alpha.k2"),
    ("α, k = 4", "reported.acceptance.alpha.k4", "alpha.k4"),
    ("α, k = 8", "reported.acceptance.alpha.k8", "alpha.k8"),
    ("α, prose, k = 4", "reported.acceptance.alpha_prose_k4", "alpha.prose"),
    ("α, code, k = 4", "reported.acceptance.alpha_code_k4", "alpha.code"),
    ("tokens, k = 4", "reported.acceptance.tokens_per_pass_counted.k4", "tokens.k4"),
    ("tokens, k = 8", "reported.acceptance.tokens_per_pass_counted.k8", "tokens.k8"),
    ("cost ratio c", "reported.break_even.cost_ratio", "c"),
    ("speed-up, prose, k = 4", "reported.speed.prose.k4", "speed.prose.k4"),
    ("speed-up, code, k = 4", "reported.speed.code.k4", "speed.code.k4"),
)
"""What both have: how it is called, its address among the reported figures, and its claim."""


@runless
def reported() -> str:
    """Each figure that both have, as reported and as measured."""
    register = current().register
    found = [(name, register.value(theirs), register.value(ours)) for name, theirs, ours in PAIRS]
    nearest, furthest = (
        pick(found, key=lambda each: abs(each[2].number() / each[1].number() - 1)) for pick in (min, max)
    )
    finding = f"Nearest to what was reported is {_named(nearest)}, furthest {_named(furthest)}"
    caption = Html(
        text(
            "Diamonds are reported by others, of another pair on a graphics card; circles are measured here, "
            "with their interval at "
        )
        + number("given.confidence")
        + text(" where there is one. The axis is logarithmic: equal distances are equal factors.")
    )
    rows = [(name, Html(number(theirs)), Html(number(ours))) for name, theirs, ours in PAIRS]
    data = table("Reported and measured", ("", "reported", "measured here"), "lrr", rows)
    return framed(NAME, text(finding), _drawn(found, finding), caption, data)


def _named(each: tuple[str, Value, Value]) -> str:
    name, theirs, ours = each
    return f"{name}: {ours.show()} against {theirs.show()}"


def _drawn(found: list[tuple[str, Value, Value]], finding: str) -> str:
    with drawing(0.3 * len(found) + 0.8) as figure:
        figure.subplots_adjust(left=0.4, right=0.96)
        axes = figure.add_subplot()
        for row, (_, theirs, ours) in enumerate(found):
            axes.plot([theirs.number(), ours.number()], [row, row], color=INK, linewidth=0.8)
            axes.plot([theirs.number()], [row], color=DRAFT, marker="D", markersize=5, markerfacecolor="none")
            if ours.low is not None and ours.high is not None:
                axes.plot(
                    [ours.low, ours.high], [row, row], color=TARGET, linewidth=4, alpha=0.4, solid_capstyle="butt"
                )
            axes.plot([ours.number()], [row], color=TARGET, marker="o", markersize=5)
        axes.axvline(1, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        ticks = (0.25, 0.5, 1, 2, 4)
        axes.set_xticks(ticks, [f"{each:g}" for each in ticks])
        axes.minorticks_off()
        axes.set_yticks(range(len(found)), [name for name, *_ in found])
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("value")
        described = f"A row for each figure, a diamond for what was reported, a circle for ours. {finding}."
        return svg(figure, NAME, "Reported and measured figures", described)
