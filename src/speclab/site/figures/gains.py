"""Where does guessing pay, for any acceptance rate and any k?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.acceptance import alpha
from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.evidence.estimates.speed import speedup
from speclab.evidence.estimates.timing import check_costs, cost_ratio
from speclab.site.figures.base import DRAFT, INK, TARGET, drawing, figure_of_run, framed, svg
from speclab.site.html import Html, table, text
from speclab.site.runs import run_link
from speclab.theory.cost import break_even_alpha, predicted_speedup

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "map"
LARGEST_K = 8
"""The largest k of the map; beyond, no chain of guesses was measured."""
LEVELS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
STEPS = 101
_RATES = (0.5, 0.7, 0.8, 0.9, 1.0)
"""Those that the table shows."""
Costs = dict[int, float]
"""The check's cost v(k + 1) by k."""
Points = dict[tuple[str, int], tuple[float, float]]
"""By kind and k: acceptance rate, measured speed-up."""


@figure_of_run(NAME)
def gains(run: Run) -> str:
    """Map of the predicted speed-up over acceptance and k, with break-even and what was measured."""
    ratio = cost_ratio(run).number()
    checks = check_costs(run, LARGEST_K)
    points = {
        (kind, k): (alpha(run, k=k, kind=kind).number(), speedup(run, k=k, kind=kind).number())
        for kind in kinds_of(run)
        for k in ks_of(run)
    }
    even = {k: break_even_alpha(k, cost_ratio=ratio, verify_ratio=check) for k, check in checks.items()}
    finding = _finding(ratio, checks, even)
    caption = Html(
        text(
            f"Lines join what the formula gives the same speed-up, from c = {ratio:.2f} and the checks as "
            "timed; the thick one is as fast as plain. Marks are kinds of text where they were measured: "
            "filled where guessing was faster, hollow where it was slower. Run "
        )
        + run_link(run.record.id)
        + "."
    )
    rows = [
        (
            f"k = {k}",
            f"{check:.2f}",
            *(f"{predicted_speedup(rate, k, cost_ratio=ratio, verify_ratio=check):.2f}" for rate in _RATES),
            _or_none(even[k]),
        )
        for k, check in checks.items()
    ]
    columns = ("", "check", *(f"α = {rate:g}" for rate in _RATES), "breaks even at α")
    predicted = table("Predicted speed-up", columns, "l" + "r" * (len(_RATES) + 2), rows)
    measured = table(
        "Measured, by kind",
        ("", "α", "speed-up"),
        "lrr",
        [(f"{kind}, k = {k}", f"{rate:.2f}", f"{gain:.2f}") for (kind, k), (rate, gain) in points.items()],
    )
    name = f"{NAME}-{run.record.id}"
    return framed(name, text(finding), _drawn(name, ratio, checks, points, finding), caption, predicted + measured)


def _or_none(rate: float | None) -> str:
    return "at none" if rate is None else f"{rate:.2f}"


def _finding(ratio: float, checks: Costs, even: dict[int, float | None]) -> str:
    within = {k: rate for k, rate in even.items() if rate is not None}
    if not within:
        most = max(predicted_speedup(1.0, k, cost_ratio=ratio, verify_ratio=check) for k, check in checks.items())
        return f"No acceptance rate is high enough: by the formula, {most:.2f} is the most, with every guess right"
    first = min(within, key=lambda k: within[k])
    return f"Guessing pays from an acceptance rate of {within[first]:.2f} on, at k = {first}"


def _drawn(name: str, ratio: float, checks: Costs, points: Points, finding: str) -> str:
    rates = [place / (STEPS - 1) for place in range(STEPS)]
    ks = list(checks)
    height = [[predicted_speedup(rate, k, cost_ratio=ratio, verify_ratio=checks[k]) for rate in rates] for k in ks]
    with drawing(3.0) as figure:
        figure.subplots_adjust(right=0.97)
        axes = figure.add_subplot()
        levels = [each for each in LEVELS if min(map(min, height)) < each < max(map(max, height))]
        widths = [2.4 if each == 1 else 0.9 for each in levels]
        lines = axes.contour(rates, ks, height, levels=levels, colors=TARGET, linewidths=widths)
        axes.clabel(lines, fmt=lambda level: f"{level:g}", fontsize=9, colors=INK)
        for (_, k), (rate, gain) in points.items():
            if k in checks:
                axes.plot(
                    [rate],
                    [k],
                    color=DRAFT,
                    marker="D",
                    markersize=4.5,
                    markerfacecolor=DRAFT if gain > 1 else "none",
                )
        axes.set_xlim(0, 1.02)
        axes.set_ylim(min(ks) - 0.4, max(ks) + 0.4)
        axes.set_yticks(ks)
        axes.set_xlabel("acceptance rate α")
        axes.set_ylabel("k")
        described = f"Lines of equal speed-up over acceptance rate and k; diamonds were measured. {finding}."
        return svg(figure, name, "Predicted speed-up over acceptance rate and k", described)
