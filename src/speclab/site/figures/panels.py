"""Small charts on the same axes: one for all kinds of text and one for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.evidence.estimates.blocks import blocks, by_prompt, kinds_of, ks_of
from speclab.evidence.estimates.estimate import EmptySelectionError
from speclab.site.figures.base import TARGET
from speclab.site.html import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from speclab.evidence.estimates.estimate import Estimate
    from speclab.records.reader import Run
    from speclab.site.html import Html

ALL = "all kinds"
COLUMNS = 2
HEIGHT = 1.2
"""Of a row of them, in inches."""


@dataclass(frozen=True, slots=True)
class ByKind:
    """One estimate at every k: of all kinds, of each kind, and of each prompt.

    Attributes:
        ks: In order.
        means: By label (`ALL` or a kind) and k.
        prompts: By kind and prompt, one value a k; None where nothing of the kind occurred.
    """

    ks: tuple[int, ...]
    means: dict[tuple[str, int], Estimate]
    prompts: dict[str, dict[str, list[float | None]]]

    @classmethod
    def of(cls, run: Run, estimate: Callable[..., Estimate]) -> ByKind:
        """Compute it.

        Args:
            run: That measured speed.
            estimate: Takes `k`, and `kind` or `prompt`.
        """
        ks = ks_of(run)
        kinds: dict[str, str | None] = {ALL: None, **{kind: kind for kind in kinds_of(run)}}
        means = {(label, k): estimate(run, k=k, kind=kind) for label, kind in kinds.items() for k in ks}
        prompts = {
            kind: {prompt: [_value(estimate, run, k, prompt) for k in ks] for prompt in rounds}
            for kind, rounds in by_prompt(blocks(run)).items()
        }
        return cls(ks, means, prompts)

    @property
    def labels(self) -> tuple[str, ...]:
        """`ALL`, then the kinds."""
        return tuple(dict.fromkeys(label for label, _ in self.means))

    def points(self, label: str) -> list[list[float | None]]:
        """The values of the prompts that a chart holds."""
        return [values for kind, each in self.prompts.items() if label in (ALL, kind) for values in each.values()]

    def extent(self) -> tuple[float, float]:
        """The smallest and the largest of everything that is drawn."""
        every = [value for values in self.points(ALL) for value in values]
        ends = [end for each in self.means.values() for end in (each.value, each.low, each.high)]
        drawn = [each for each in (*every, *ends) if each is not None]
        return min(drawn), max(drawn)

    def extremes(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Kind and k of the smallest and of the largest mean."""
        single = {key: each.number() for key, each in self.means.items() if key[0] != ALL}
        return min(single, key=lambda key: single[key]), max(single, key=lambda key: single[key])

    def rows(self, form: str) -> Iterator[tuple[str | Html, ...]]:
        """The data, a line for each label and each prompt."""
        for label in self.labels:
            yield (label, *(shown(self.means[label, k], form) for k in self.ks))
        for each in self.prompts.values():
            for prompt, values in each.items():
                yield (prompt, *("–" if value is None else format(value, form) for value in values))

    def draw(
        self, figure: Figure, *, bottom: float, top: float, beneath: Callable[[Axes], None] | None = None
    ) -> None:
        """A chart a label: a dot for each prompt, a line for the mean, a bar for its interval.

        Args:
            figure: Empty.
            bottom: Lower end of the vertical axis.
            top: Upper end.
            beneath: Draws what lies under them, where something does.
        """
        for label, axes in panels(figure, self.labels).items():
            if beneath is not None:
                beneath(axes)
            for values in self.points(label):
                axes.plot(
                    range(len(self.ks)),
                    [math.nan if value is None else value for value in values],
                    linestyle="none",
                    marker="o",
                    markersize=3.5,
                    color=TARGET,
                    alpha=0.7,
                )
            _mean(axes, [self.means[label, k] for k in self.ks])
            axes.set_xticks(range(len(self.ks)), [str(k) for k in self.ks])
            axes.set_xlim(-0.5, len(self.ks) - 0.5)
            axes.set_ylim(bottom, top)
        figure.supxlabel("k, tokens proposed per iteration", fontsize=10, y=0.06 / figure.get_figheight())


def height_of(labels: tuple[str, ...]) -> float:
    """What so many charts need, in inches."""
    return HEIGHT * math.ceil(len(labels) / COLUMNS) + 0.3


def panels(figure: Figure, labels: tuple[str, ...]) -> dict[str, Axes]:
    """Axes for each label, titled with it; only the lowest ones are numbered."""
    figure.subplots_adjust(wspace=0.08, hspace=0.38)
    grid = figure.subplots(math.ceil(len(labels) / COLUMNS), COLUMNS, sharex=True, sharey=True, squeeze=False)
    made = {}
    for place, axes in enumerate(grid.flat):
        if place >= len(labels):
            axes.set_axis_off()
            continue
        axes.set_title(labels[place], loc="left", pad=3)
        axes.tick_params(labelbottom=place >= len(labels) - COLUMNS)
        made[labels[place]] = axes
    return made


def _value(estimate: Callable[..., Estimate], run: Run, k: int, prompt: str) -> float | None:
    try:
        return estimate(run, k=k, prompt=prompt).value
    except EmptySelectionError:
        return None


def _mean(axes: Axes, found: list[Estimate]) -> None:
    axes.plot(range(len(found)), [each.number() for each in found], color=TARGET)
    for place, each in enumerate(found):
        if each.low is not None and each.high is not None:
            axes.plot(
                [place, place], [each.low, each.high], color=TARGET, linewidth=3, alpha=0.5, solid_capstyle="butt"
            )
