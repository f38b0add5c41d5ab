"""The cost model with sliders: any acceptance, k and costs, beside what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.acceptance import alpha
from speclab.evidence.estimates.blocks import kinds_of, ks_of
from speclab.evidence.estimates.decomposition import reference_k
from speclab.evidence.estimates.speed import overhead_steps, speedup
from speclab.evidence.estimates.timing import check_costs, cost_ratio
from speclab.site.blocks import block
from speclab.site.figures.gains import LARGEST_K
from speclab.site.html import text
from speclab.site.runs import run_link, run_of
from speclab.theory.cost import break_even_alpha, expected_tokens_per_iteration, iteration_cost, predicted_speedup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.reader import Run

NAME = "cost-model"
WIDTH, HEIGHT, LEFT, BELOW = 320, 200, 34, 30
"""Of the drawing and its margins, in its own units."""
HIGHEST = 4.0
"""Speed-up at the top of the drawing."""
STEPS = 50


@block
def cost_model(run_id: str | None = None) -> str:
    """Sliders for the five inputs of the formula, the curve over acceptance, and the measured points at that k."""
    run = run_of(run_id)
    k = reference_k(run)
    checks = check_costs(run, LARGEST_K)
    costs = {
        "cost_ratio": cost_ratio(run).number(),
        "verify_ratio": checks[k],
        "overhead": overhead_steps(run, k=k).number(),
    }
    rate = alpha(run, k=k).number()
    inputs = "".join(
        f'<div><label for="{NAME}-{name}">{text(label)}</label>'
        f'<input type="range" id="{NAME}-{name}" data-input="{name}" min="{low}" max="{high}" step="{step}" '
        f'value="{value:.4g}"><output for="{NAME}-{name}" data-input="{name}">{value:.3g}</output></div>'
        for name, label, low, high, step, value in (
            ("alpha", "α, guesses that are right", 0, 1, 0.01, rate),
            ("k", "k, guesses an iteration", 1, LARGEST_K, 1, k),
            ("cost_ratio", "c, a guess", 0, 1.5, 0.01, costs["cost_ratio"]),
            ("verify_ratio", "v(k + 1), a check", 0.5, 10, 0.01, costs["verify_ratio"]),
            ("overhead", "everything else, in steps", 0, 1, 0.001, costs["overhead"]),
        )
    )
    timed = ";".join(f"{each} {ratio:.4f}" for each, ratio in checks.items())
    results = "".join(
        f'<div><dt>{label}</dt><dd data-result="{name}">{shown}</dd></div>'
        for name, label, shown in (
            ("tokens", "tokens an iteration", f"{expected_tokens_per_iteration(rate, k):.2f}"),
            ("cost", "steps an iteration", f"{iteration_cost(k, **costs):.2f}"),
            ("speedup", "speed-up", f"{predicted_speedup(rate, k, **costs):.2f}"),
            ("even", "breaks even at α", _or_none(break_even_alpha(k, **costs))),
        )
    )
    note = (
        text("The curve is the formula; the marks are kinds of text as they were measured at this k, in run ")
        + run_link(run.record.id)
        + text(", where the sliders begin. As long as v is not moved, it follows k as it was timed.")
    )
    return (
        f'<div class="lab-sliders" id="{NAME}" data-checks="{timed}">'
        f'{_drawing(run, k, costs)}<div class="lab-inputs" hidden>{inputs}</div>'
        f'<dl class="lab-results">{results}</dl>'
        f'<p class="lab-note">{note}</p></div>'
    )


def _or_none(rate: float | None) -> str:
    return "none" if rate is None else f"{rate:.2f}"


def _x(rate: float) -> float:
    return LEFT + rate * (WIDTH - LEFT - 8)


def _y(gain: float) -> float:
    return HEIGHT - BELOW - min(gain, HIGHEST) / HIGHEST * (HEIGHT - BELOW - 8)


def _drawing(run: Run, k: int, costs: dict[str, float]) -> str:
    """The curve as it stands without a script; the script draws it anew from the same formula."""
    rates = [place / STEPS for place in range(STEPS + 1)]
    path = " ".join(
        f"{'L' if place else 'M'}{_x(rate):.1f} {_y(predicted_speedup(rate, k, **costs)):.1f}"
        for place, rate in enumerate(rates)
    )
    grid = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 8}" y1="{_y(gain):.1f}" y2="{_y(gain):.1f}"/>'
        f'<text x="{LEFT - 5}" y="{_y(gain) + 4:.1f}" text-anchor="end">{gain}</text>'
        for gain in range(int(HIGHEST) + 1)
    )
    ticks = "".join(
        f'<text x="{_x(rate):.1f}" y="{HEIGHT - BELOW + 14}" text-anchor="middle">{rate:g}</text>'
        for rate in (0, 0.25, 0.5, 0.75, 1)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{NAME}-title {NAME}-desc" '
        f'data-frame="{LEFT} {BELOW} {WIDTH} {HEIGHT} {HIGHEST:g} {STEPS}">'
        f'<title id="{NAME}-title">Speed-up over the acceptance rate</title>'
        f'<desc id="{NAME}-desc">A curve that rises with the acceptance rate, and a mark for each kind of '
        "text.</desc>"
        f'{grid}{ticks}<line class="even" x1="{LEFT}" x2="{WIDTH - 8}" y1="{_y(1):.1f}" y2="{_y(1):.1f}"/>'
        f'<path class="curve" d="{path}"/>{"".join(_points(run, k))}<circle class="here" r="5" cx="0" cy="0" '
        f'visibility="hidden"/><text x="{(WIDTH + LEFT) / 2:.0f}" y="{HEIGHT - 2}" '
        'text-anchor="middle">acceptance rate α'
        "</text></svg>"
    )


def _points(run: Run, shown: int) -> Iterator[str]:
    """A mark for each kind at each k; those at another k are hidden."""
    for k in ks_of(run):
        for kind in kinds_of(run):
            rate, gain = alpha(run, k=k, kind=kind).number(), speedup(run, k=k, kind=kind).number()
            x, y = _x(rate), _y(gain)
            hidden = "" if k == shown else ' visibility="hidden"'
            yield (
                f'<path class="point" data-k="{k}" d="M{x - 4:.1f} {y:.1f}L{x:.1f} {y - 4:.1f}L{x + 4:.1f} {y:.1f}'
                f'L{x:.1f} {y + 4:.1f}Z"{hidden}><title>{text(kind)}: α {rate:.2f}, speed-up '
                f"{gain:.2f}</title></path>"
            )
