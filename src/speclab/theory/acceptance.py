"""What the counted iterations of one k say about acceptance.

Everything here uses complete iterations alone: those that proposed all k and that neither a stop nor the budget
cut. A cut iteration had no chance to bring k + 1 tokens, and counting it would pull every rate down.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Tally:
    """Accepted proposals of complete iterations, all with the same k.

    Attributes:
        k: Proposals in each of them.
        generations: For each generation, the accepted counts of its complete iterations in order.
    """

    k: int
    generations: tuple[tuple[int, ...], ...]

    @property
    def accepted(self) -> tuple[int, ...]:
        """The counts of all generations, one after another."""
        return tuple(count for generation in self.generations for count in generation)

    @property
    def iterations(self) -> int:
        """Number of complete iterations."""
        return sum(len(generation) for generation in self.generations)

    @property
    def alpha(self) -> float | None:
        """Accepted / (accepted + rejections), pooled over the iterations; None where nothing was decided.

        A rejection ends an iteration, so there is one in each that did not keep all k. Equal to the acceptance
        rate of the literature only if proposals are accepted independently of each other.
        """
        accepted = sum(self.accepted)
        decided = accepted + sum(count < self.k for count in self.accepted)
        return accepted / decided if decided else None

    @property
    def tokens_per_iteration(self) -> float | None:
        """Committed tokens per iteration, the target's own one included; None without iterations."""
        return sum(self.accepted) / self.iterations + 1 if self.iterations else None

    @property
    def accepted_share(self) -> float | None:
        """Accepted / proposed. Falls with k although the draft is the same; None where nothing was proposed."""
        proposed = self.k * self.iterations
        return sum(self.accepted) / proposed if proposed else None

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many iterations accepted 0, 1, … k proposals."""
        found = Counter(self.accepted)
        return tuple(found[count] for count in range(self.k + 1))

    @property
    def reached(self) -> tuple[int, ...]:
        """How many iterations came to decide proposal 1, 2, … k."""
        histogram = self.histogram
        return tuple(sum(histogram[position:]) for position in range(self.k))

    @property
    def position_rates(self) -> tuple[float | None, ...]:
        """Acceptance of proposal 1, 2, … k where it was reached; None where it never was."""
        reached = self.reached
        kept = (*reached[1:], self.histogram[-1])[: self.k]
        return tuple(stood / came if came else None for stood, came in zip(kept, reached, strict=True))

    def autocorrelation(self, *, centre: Literal["all", "each"] = "all") -> float | None:
        """Correlation of the accepted counts of one iteration and the next within a generation (lag one).

        The mean product of the deviations of neighbours over the mean square of all deviations. With centre `all`
        the deviations are from the mean of all generations: texts that are hard or easy as a whole count as
        dependence, as they do for a formula with a single alpha. With `each` they are from the generation's own
        mean: what is left is dependence within a text. That estimate is too low by about 1 / n for n iterations a
        generation.

        Returns:
            Between about -1 and 1; None where no two iterations follow each other or all counts are equal.
        """
        if not self.iterations:
            return None
        mean = sum(self.accepted) / self.iterations
        deviations = [
            [count - (mean if centre == "all" else sum(generation) / len(generation)) for count in generation]
            for generation in self.generations
        ]
        products = [before * after for series in deviations for before, after in pairwise(series)]
        squares = [deviation**2 for series in deviations for deviation in series]
        if not products or not sum(squares):
            return None
        return (sum(products) / len(products)) / (sum(squares) / len(squares))


def tally(k: int, generations: Iterable[tuple[Sequence[int], Sequence[bool]]]) -> Tally:
    """Take the complete iterations out of generations with the same k.

    Args:
        k: Proposals asked for in an iteration.
        generations: For each generation, the accepted proposals of its iterations in order, and whether each
            iteration was complete.

    Raises:
        InputError: When a complete iteration accepted less than none or more than k: then something else was
            counted than the leading run of proposals that stood.
    """
    kept = tuple(
        tuple(count for count, whole in zip(accepted, complete, strict=True) if whole)
        for accepted, complete in generations
    )
    for number, generation in enumerate(kept):
        for count in generation:
            if not 0 <= count <= k:
                msg = (
                    f"generation {number}: an iteration accepted {count} of {k} proposals; "
                    "only the leading run that stood is counted"
                )
                raise InputError(msg)
    return Tally(k, kept)
