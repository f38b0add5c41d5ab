"""What every figure shares: an SVG that is the same at each build, light and dark, read aloud, and never alone.

Matplotlib draws with stand-in colours, which then become `currentColor` and the style sheet's own variables: one
drawing serves both colour schemes.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from speclab.site.blocks import block
from speclab.site.building import current
from speclab.site.escape import escape
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclab.records.reader import Run
    from speclab.site.blocks import Block

INK = "#010101"
GRID = "#010102"
TARGET = "#010103"
DRAFT = "#010104"
BAND = "#010105"
_COLOURS = {
    INK: "currentColor",
    GRID: "var(--lab-grid)",
    TARGET: "var(--lab-target)",
    DRAFT: "var(--lab-draft)",
    BAND: "var(--lab-band)",
}
_STYLE: Any = {
    "axes.edgecolor": GRID,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 10,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.color": INK,
    "hatch.linewidth": 0.5,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}
WIDTH = 4.0
"""Inches. Narrow, so that the letters can still be read on a telephone."""


@contextmanager
def drawing(height: float) -> Iterator[Figure]:
    """An empty figure, drawn in the shared style, with room for labels at the left and below.

    Args:
        height: In inches.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height))
        FigureCanvasSVG(figure)
        figure.subplots_adjust(left=0.58 / WIDTH, right=0.99, bottom=0.48 / height, top=1 - 0.24 / height)
        yield figure


def figure_of_run(name: str) -> Callable[[Callable[[Run], str]], Block]:
    """Mark a figure of one run as a block, drawn once a build: a run's own page shows it as the chapter does.

    Args:
        name: Of the figure, the same for every run.
    """

    def mark(make: Callable[[Run], str]) -> Block:
        @wraps(make)
        def once(run_id: str | None = None) -> str:
            run = run_of(run_id)
            drawn = current().drawn
            key = (name, run.record.id)
            if key not in drawn:
                drawn[key] = make(run)
            return drawn[key]

        return block(once)

    return mark


def svg(figure: Figure, name: str, title: str, description: str) -> str:
    """The drawing as one inline `<svg>`: the same bytes for the same data, with ids of its own.

    Args:
        figure: Drawn within `drawing`.
        name: Of the figure; every id starts with it.
        title: What it shows, for those who do not see it.
        description: What can be read from it, in a sentence or two.
    """
    make_room(figure)
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    raw = buffer.getvalue()
    body = raw[raw.index("<svg") :]
    view = re.search(r'viewBox="([^"]+)"', body)
    assert view is not None, "matplotlib's SVG has a view box"  # noqa: S101
    inner = body[body.index(">") + 1 : body.rindex("</svg>")]
    inner = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", inner, flags=re.DOTALL)
    inner = re.sub(r"font-family: [^;\"]+; ?", "", inner)
    inner = re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}", inner)
    inner = _own_ids(inner, name)
    for stand_in, colour in _COLOURS.items():
        inner = inner.replace(stand_in, colour)
    inner = re.sub(r"\s+", " ", inner).replace("> <", "><")
    return (
        f'<svg viewBox="{view[1]}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
        f"{inner}</svg>"
    )


def make_room(figure: Figure) -> None:
    """Move what is drawn to the right until the labels at the left are inside; numbers make them wide."""
    drawn = figure.get_tightbbox()
    if drawn.x0 < 0:
        margin = figure.subplotpars.left - drawn.x0 / figure.get_figwidth()
        figure.subplots_adjust(left=margin + 0.005)


def framed(name: str, finding: str, drawn: str, caption: str, table: str) -> str:
    """A figure with its finding above, its source below and its data in a fold.

    Args:
        name: Its id on the page.
        finding: HTML; what the data say, in one sentence.
        drawn: The SVG.
        caption: HTML; how to read it, and the run.
        table: HTML of the same data.
    """
    return (
        f'<figure class="lab-figure" id="{name}"><p class="lab-finding">{finding}</p>'
        f'<div class="lab-drawing">{drawn}</div><figcaption>{caption}</figcaption>'
        f"<details><summary>The data of this figure</summary>{table}</details></figure>"
    )


def _own_ids(inner: str, name: str) -> str:
    """Drop the ids that nothing refers to, and let the others start with the figure's name."""
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', inner))
    inner = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", inner)
    return re.sub(r'(?:xlink:href="#|url\(#)', lambda m: m[0].replace("xlink:href", "href") + f"{name}-", inner)
