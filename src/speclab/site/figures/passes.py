"""What does a pass cost, by the number of tokens it takes in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.timing import pass_lengths, pass_ms, verify_ratio
from speclab.site.figures.base import DRAFT, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, shown, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run
    from speclab.records.rows import ModelRole

NAME = "pass-time"
# Told apart by shape and line as well as by colour.
_LOOK: tuple[tuple[ModelRole, str, str, str], ...] = (("target", TARGET, "o", "-"), ("draft", DRAFT, "s", "--"))


@figure_of_run(NAME)
def pass_time(run: Run) -> str:
    """Time of a pass against its number of tokens, for both models."""
    times = {model: _times(run, model) for model, *_ in _LOOK}
    finding = _finding(run)
    timing = run.record.plan.timing
    caption = Html(
        text(
            f"Time of one forward pass after {timing.context_tokens} tokens of context, geometric mean over "
            f"{timing.cycles} cycles with its interval at "
        )
        + number("given.confidence")
        + text(" (mostly smaller than the mark). Run ")
        + run_link(run.record.id)
        + "."
    )
    data = table(
        "Milliseconds a pass",
        ("tokens", "target", "draft"),
        "rrr",
        [
            (n, shown(times["target"][n], ".1f"), shown(times["draft"][n], ".1f") if n in times["draft"] else "–")
            for n in times["target"]
        ],
    )
    return framed(NAME, text(finding), _drawn(times, finding), caption, data)


def _times(run: Run, model: ModelRole) -> dict[int, Estimate]:
    return {n: pass_ms(run, model=model, tokens=n) for n in pass_lengths(run, model)}


def _finding(run: Run) -> str:
    lengths = pass_lengths(run, "target")
    few = max((n for n in lengths if n <= 9), default=lengths[-1])
    many = lengths[-1]
    costs = [f"{n} tokens costs {verify_ratio(run, n=n).number():.2f}" for n in dict.fromkeys((few, many))]
    return f"On the target a pass over {', one over '.join(costs)} passes over one"


def _drawn(times: dict[ModelRole, dict[int, Estimate]], finding: str) -> str:
    with drawing(2.6) as figure:
        axes = figure.add_subplot()
        for model, colour, mark, line in _LOOK:
            found = times[model]
            values = [each.number() for each in found.values()]
            ends = [
                [
                    max(0.0, each.number() - (each.low if each.low is not None else each.number()))
                    for each in found.values()
                ],
                [
                    max(0.0, (each.high if each.high is not None else each.number()) - each.number())
                    for each in found.values()
                ],
            ]
            axes.errorbar(
                list(found), values, yerr=ends, color=colour, marker=mark, linestyle=line, markersize=5, capsize=2
            )
            axes.annotate(
                model,
                (list(found)[-1], values[-1]),
                xytext=(0, 7),
                textcoords="offset points",
                ha="right",
                color=colour,
            )
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set_xlabel("tokens in the pass")
        axes.set_ylabel("milliseconds")
        described = (
            "Two lines that rise with the number of tokens, the target's above the draft's. " + finding + "."
        )
        return svg(figure, NAME, "Time of a pass against its number of tokens", described)
