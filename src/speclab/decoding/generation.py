"""A finished generation: its tokens, why it ended and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from speclab.decoding.iterations import Finish, Iteration


@dataclass(frozen=True, slots=True)
class Generation:
    """What an iterator of iterations amounted to.

    Attributes:
        ids: The new tokens, without the prompt.
        finish: Why it ended.
        prefill_ns: Nanoseconds to take in the prompt but its last token, both models.
        iterations: In order; their committed tokens are `ids`.
    """

    ids: tuple[int, ...]
    finish: Finish
    prefill_ns: int
    iterations: tuple[Iteration, ...]

    @property
    def complete(self) -> tuple[Iteration, ...]:
        """The iterations that rates are computed from."""
        return tuple(each for each in self.iterations if each.complete)

    @property
    def decode_ns(self) -> int:
        """Nanoseconds of all iterations together."""
        return sum(each.spent().total for each in self.iterations)

    @property
    def alpha(self) -> float | None:
        """Accepted / (accepted + rejections) over complete iterations; None where nothing was decided."""
        accepted = sum(each.accepted for each in self.complete)
        rejections = sum(each.accepted < len(each.proposed) for each in self.complete)
        return accepted / (accepted + rejections) if accepted + rejections else None

    @property
    def tokens_per_iteration(self) -> float | None:
        """Committed tokens per complete iteration; None where none was complete."""
        complete = self.complete
        return sum(len(each.committed) for each in complete) / len(complete) if complete else None


class Gathered:
    """Iterations as they come, kept on the way.

    Args:
        iterations: From the loop.
        prefill_ns: What came before them.
    """

    def __init__(self, iterations: Generator[Iteration, None, Finish], *, prefill_ns: int = 0) -> None:
        self._iterations = iterations
        self._prefill_ns = prefill_ns
        self.generation: Generation
        """What they amount to; known after the last."""

    def __iter__(self) -> Iterator[Iteration]:
        """One after another; the next is decoded when it is asked for."""
        done: list[Iteration] = []
        while True:
            try:
                done.append(next(self._iterations))
            except StopIteration as end:
                ids = tuple(token for each in done for token in each.committed)
                self.generation = Generation(ids, end.value, self._prefill_ns, tuple(done))
                return
            yield done[-1]


def collect(iterations: Generator[Iteration, None, Finish], *, prefill_ns: int = 0) -> Generation:
    """Run a generator of iterations to its end."""
    gathered = Gathered(iterations, prefill_ns=prefill_ns)
    for _ in gathered:
        pass
    return gathered.generation
