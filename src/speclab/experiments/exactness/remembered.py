"""A model that makes each pass once: a walk over outcomes repeats the same passes thousands of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from speclab.decoding.protocols import Law, Model
    from speclab.decoding.sampling import Sampling


class State:
    """A cache at rest, and where each pass or cut leads from it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.passes: dict[tuple[int, ...], tuple[tuple[Any, ...], State]] = {}
        self.cuts: dict[int, State] = {}


class Memory:
    """The states that a model's real cache was in.

    Nothing is computed in another way than by the model itself: every pass and every cut is made once, on a copy
    of the real cache, and its outcome kept, laws too.

    Args:
        model: With an empty cache.
        content: What its cache holds. Two states with the same content are one.
    """

    def __init__(self, model: Model, content: Callable[[Any], Hashable]) -> None:
        self._content = content
        self._states: dict[Hashable, State] = {}
        self.laws: dict[tuple[int, Sampling], Law] = {}
        self._root = self.enter(model)

    def start(self) -> Remembered:
        """A model with an empty cache."""
        return Remembered(self, self._root)

    def enter(self, model: Model) -> State:
        """The state that this cache is in."""
        return self._states.setdefault(self._content(model), State(model))


class Remembered:
    """One run's view of a `Memory`, behind the loop's protocol; a row is the same object whenever it comes."""

    def __init__(self, memory: Memory, state: State) -> None:
        self._memory = memory
        self.state = state
        self.vocabulary = state.model.vocabulary
        self.context = state.model.context

    @property
    def ids(self) -> Sequence[int]:
        """The tokens in the cache, in order."""
        return self.state.model.ids

    @property
    def length(self) -> int:
        """Positions in the cache."""
        return self.state.model.length

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> tuple[Any, ...]:
        """Rows after each token, from the pass that was made the first time."""
        key = tuple(ids)
        if key not in self.state.passes:
            twin = self.state.model.fork()
            rows = tuple(twin.feed(ids))
            self.state.passes[key] = (rows, self._memory.enter(twin))
        rows, self.state = self.state.passes[key]
        return rows[-last:] if last else rows

    def rollback(self, length: int) -> None:
        """Go to the state that the cut led to the first time."""
        if length not in self.state.cuts:
            twin = self.state.model.fork()
            twin.rollback(length)
            self.state.cuts[length] = self._memory.enter(twin)
        self.state = self.state.cuts[length]

    def law(self, row: Any, sampling: Sampling) -> Law:
        """The law of a row, which is kept with it, so that its identity names it."""
        key = (id(row), sampling)
        if key not in self._memory.laws:
            self._memory.laws[key] = self.state.model.law(row, sampling)
        return self._memory.laws[key]

    def fork(self) -> Remembered:
        """Another view of the same state."""
        return self.at(self.state)

    def at(self, state: State) -> Remembered:
        """A view of another state of this memory."""
        return Remembered(self._memory, state)
