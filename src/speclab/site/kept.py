"""What a preview keeps over its rebuilds: whatever was made, for as long as all that it asked has the same answer.

A build that is not a preview keeps nothing: every page is made anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from speclab.evidence.register import Register

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from speclab.evidence.values import Value

Question: TypeAlias = tuple[str, str]
"""A kind of question, and of what it is asked; see `speclab.site.answers`."""
T = TypeVar("T")


@dataclass
class Made:
    """Something that was made, and all that was asked while it was.

    Attributes:
        result: What was made.
        asked: Each question with the answer that it had.
        parts: What was made on the way, by name; kept as long as the whole.
        spoilt: Whether something went wrong while it was made: it is shown, and made again at the next rebuild.
    """

    result: Any = None
    asked: dict[Question, str] = field(default_factory=dict)
    parts: dict[str, Made] = field(default_factory=dict)
    spoilt: bool = False


class Kept:
    """What one rebuild made or took over from the one before.

    Attributes:
        made: By name; what is not asked for again is forgotten with the next rebuild.
    """

    def __init__(self, answer: Callable[[Question], str], before: Mapping[str, Made]) -> None:
        """Start a rebuild.

        Args:
            answer: Answers a question as things are now.
            before: What the rebuild before made.
        """
        self.made: dict[str, Made] = {}
        self._answer = answer
        self._before = before
        self._answers: dict[Question, str] = {}
        self._making: list[Made] = []

    def ask(self, kind: str, of: str = "") -> None:
        """Note that what is being made rests on the answer to a question."""
        for making in self._making[-1:]:
            making.asked[kind, of] = self._answered((kind, of))

    def spoil(self) -> None:
        """Note that something went wrong with what is being made, and so with all that it is part of."""
        for making in self._making:
            making.spoilt = True

    def get(self, name: str, make: Callable[[], T]) -> T:
        """What has this name, made only where it is not there, or where an answer changed.

        Args:
            name: Of what is made; it changes with whatever is given to `make`.
            make: Makes it; asks while it does.
        """
        there = self.made.get(name) or self._before.get(name)
        if there is None or any(self._answered(each) != answer for each, answer in there.asked.items()):
            there = self._make(make)
        if not there.spoilt:
            kept = {name: there, **there.parts}
            self.made |= kept
            for making in self._making[-1:]:
                making.parts.update(kept)
                making.asked.update(there.asked)
        return cast("T", there.result)

    def close(self) -> None:
        """End the rebuild: what nobody took over is let go, or it would be kept as long as the preview lives."""
        self._before = {}

    def _make(self, make: Callable[[], object]) -> Made:
        making = Made()
        self._making.append(making)
        try:
            making.result = make()
        except BaseException:
            self.spoil()
            raise
        finally:
            self._making.pop()
        return making

    def _answered(self, question: Question) -> str:
        if question not in self._answers:
            self._answers[question] = self._answer(question)
        return self._answers[question]


class AskedRegister(Register):
    """The register of a preview: what is being made then rests on each number that it takes from here."""

    def __init__(self, repository: Path, kept: Kept) -> None:
        """Read the files of `research/`, as a register does."""
        super().__init__(repository)
        self._kept = kept

    def value(self, address: str) -> Value:
        """As a register's."""
        self._kept.ask("value", address)
        return super().value(address)
