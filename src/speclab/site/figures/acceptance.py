"""How often are guesses right, and does that depend on k or on the text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.evidence.estimates.acceptance import alpha
from speclab.site.figures.base import drawing, figure_of_run, framed, svg
from speclab.site.figures.panels import ALL, ByKind, height_of
from speclab.site.html import Html, table, text
from speclab.site.numbers import number
from speclab.site.runs import run_link

if TYPE_CHECKING:
    from speclab.records.reader import Run

NAME = "acceptance-by-kind"


@figure_of_run(NAME)
def acceptance(run: Run) -> str:
    """Acceptance rate by k and kind, with every prompt's point."""
    found = ByKind.of(run, alpha)
    means = [found.means[ALL, k].number() for k in found.ks]
    low, high = found.extremes()
    finding = (
        f"Over all kinds α lies between {min(means):.2f} and {max(means):.2f} at every k; between kinds it goes "
        f"from {found.means[low].number():.2f} ({low[0]}) to {found.means[high].number():.2f} ({high[0]})"
    )
    caption = Html(
        text(
            "Accepted proposals over decided ones. A dot is a prompt, a line the rate of a kind, a bar its "
            "interval at "
        )
        + number("given.confidence")
        + text(", where there are prompts enough for one. Run ")
        + run_link(run.record.id)
        + "."
    )
    columns = ("", *(f"k = {k}" for k in found.ks))
    data = table("Acceptance rate of kinds and prompts", columns, "l" + "r" * len(found.ks), found.rows(".2f"))
    return framed(NAME, text(finding), _drawn(found, finding), caption, data)


def _drawn(found: ByKind, finding: str) -> str:
    bottom = min(0.5, found.extent()[0])
    with drawing(height_of(found.labels)) as figure:
        found.draw(figure, bottom=bottom - 0.04, top=1.04)
        figure.supylabel("acceptance rate α", fontsize=10, x=0.02)
        described = f"A small chart for each kind of text and one for all of them. {finding}."
        return svg(figure, NAME, "Acceptance rate by kind of text and k", described)
