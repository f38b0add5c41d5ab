"""What passes between the runner and an experiment.

An experiment is a generator of jobs. The runner takes one job after another, skips those whose cell is already
saved, measures the others, saves each cell before it asks for the next job, and keeps `Session.done` current.
So a generator that has just been resumed may read the cell of the job it yielded, for instance to see that the
block was disturbed and has to be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from speclab.models.load import LoadedPair
    from speclab.records.plan import Dtype, Plan
    from speclab.records.rows import Cell
    from speclab.records.run import PromptRecord


@dataclass(frozen=True, slots=True)
class CellJob:
    """One cell that can be measured.

    Attributes:
        key: The key that the measured cell will have; a cell under another key is refused.
        measure: Measures it. Called at most once, and not at all where the cell is already saved.
    """

    key: str
    measure: Callable[[], Cell]


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """A prompt as it is fed: its tokens, and what the run's record says of it."""

    record: PromptRecord
    ids: tuple[int, ...]

    @property
    def id(self) -> str:
        """The prompt's id."""
        return self.record.id

    @property
    def kind(self) -> str:
        """The prompt's kind."""
        return self.record.kind


@dataclass(frozen=True, slots=True)
class Session:
    """What an experiment is given.

    Attributes:
        plan: The plan, overrides applied.
        pair: The two models in the plan's dtype. After `reload` it holds no weights any more.
        prompts: In the order they are measured.
        done: Every cell saved so far by its key, of this run's earlier experiments too. Kept current by the
            runner; keys stand in the order in which the cells were measured.
        say: Tells the person who waits; one plain line.
        budget_left: Seconds of the plan's budget that are left, all sessions of the run counted; negative when
            it is spent.
        reload: The same pair in another dtype. Frees the pair that is loaded first, since both seldom fit, and
            keeps the new one, so asking again for the same dtype costs nothing.
    """

    plan: Plan
    pair: LoadedPair
    prompts: tuple[EncodedPrompt, ...]
    done: Mapping[str, Cell]
    say: Callable[[str], None]
    budget_left: Callable[[], float]
    reload: Callable[[Dtype], LoadedPair]


class Experiment(Protocol):
    """One question, asked of a pair."""

    @property
    def name(self) -> str:
        """Name of the experiment, the same as in its cells."""
        ...

    def cells(self, session: Session) -> Iterator[CellJob]:
        """The jobs, in the order they are measured."""
        ...
