"""A repository with one tiny plan, and a bench of table models, for tests of whole runs without torch."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w

from speclab.backends.device import DeviceState
from speclab.backends.table import TableModel
from speclab.experiments.ask import Ask
from speclab.experiments.exactness.cases import TABLES
from speclab.experiments.exactness.subjects import MISTAKES, RIGHT
from speclab.experiments.overrides import Overrides
from speclab.records.base import Reading
from speclab.records.files import write_atomic
from speclab.records.run import ModelRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pytest

    from speclab.backends.device import CardState
    from speclab.models.load import LoadedPair
    from speclab.models.report import Report
    from speclab.records.plan import Device, Pair

VOCABULARY = 64
QUICKLY = ("timing", "speed", "distribution", "divergence")
"""What a whole run measures in tests: the walk over all outcomes takes a minute and has tests of its own."""
PLAN: dict[str, Any] = {
    "name": "tiny",
    "says": "two prompts of a table pair",
    "prompts": ["prose-1", "code-1"],
    "budget_minutes": 5,
    "memory_gb": 0.01,
    "disk_gb": 0.01,
    "pair": {"target": "table-target", "draft": "table-draft", "dtype": "bfloat16", "device": "cpu"},
    "timing": {"lengths": [1, 2, 3, 5], "cycles": 3, "context_tokens": 8},
    "speed": {"ks": [1, 2], "rounds": 2, "new_tokens": 8},
    "traces": {"kinds": ["prose"], "k": 2},
    "divergence": {"float32_prompts_per_kind": 1, "float32_k": 2, "float32_new_tokens": 6},
    "distribution": {"contexts_per_kind": 1, "seeds": 2, "draws": 2000, "cells": 10},
    "disagreement": {"contexts_per_prompt": 1},
    "margins": {"prompts_per_kind": 1, "new_tokens": 6, "lengths": [2, 4]},
}
PROMPTS = {
    "prompt": [
        {"id": "prose-1", "kind": "prose", "text": "some words to go on with", "licence": "CC0-1.0"},
        {"id": "code-1", "kind": "code", "text": "def some_words(): pass", "licence": "CC0-1.0"},
    ]
}


def small_repository(folder: Path, **changes: Any) -> Path:
    """Write a plan and its prompts; `changes` replace parts of the plan, for instance `budget_minutes=1`."""
    plan = PLAN | {
        name: PLAN[name] | value if isinstance(value, dict) and name in PLAN else value
        for name, value in changes.items()
    }
    write_atomic(folder / "research" / "plans" / "tiny.toml", tomli_w.dumps(plan))
    write_atomic(folder / "research" / "prompts" / "ours.toml", tomli_w.dumps(PROMPTS))
    return folder


def small_ask(repository: Path, *experiments: str, **overrides: Any) -> Ask:
    """Ask for the tiny plan."""
    return Ask(
        repository=repository,
        plan="tiny",
        command="speclab evidence run --plan tiny",
        experiments=experiments or QUICKLY,
        overrides=Overrides(**overrides),
    )


def few_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `exactness` walk two subjects in one small configuration each, in the place of a minute's work."""
    few = tuple(replace(each, cases=TABLES[:1]) for each in (*RIGHT[:1], *MISTAKES[:1]))
    for module in ("estimate", "exactness.experiment"):
        monkeypatch.setattr(f"speclab.experiments.{module}.SUBJECTS", few)


class Letters:
    """A tokenizer that knows characters."""

    bos_token_id = None
    chat_template = None

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) % VOCABULARY for letter in text]}

    def decode(self, ids: Sequence[int], **_: Any) -> str:
        return "".join(chr(97 + token % 26) for token in ids)


@dataclass
class Loaded:
    """One loaded table."""

    model: TableModel
    record: ModelRecord


@dataclass
class SmallPair:
    """Two loaded tables."""

    target: Loaded
    draft: Loaded
    tokenizer: Letters = field(default_factory=Letters)
    freed: bool = False


@dataclass
class SmallBench:
    """Loads tables; `fail` may raise in place of the n-th pass of a target, `card` makes it a graphics card."""

    card: CardState | None = None
    absent: tuple[str, ...] = ()
    threads: int = 1
    refuse: Callable[[Pair], None] = lambda _: None
    each_pass: Callable[[int], None] = lambda _: None
    loads: list[Pair] = field(default_factory=list)
    pairs: list[SmallPair] = field(default_factory=list)
    sha256: str = "ab" * 32

    def missing(self, pair: Pair) -> tuple[str, ...]:
        return tuple(name for name in (pair.target, pair.draft) if name in self.absent)

    def fetch(self, name: str, report: Report) -> None:
        report(f"{name}: downloading", 1, 1)
        self.absent = tuple(each for each in self.absent if each != name)

    def load(self, pair: Pair) -> LoadedPair:
        self.refuse(pair)
        assert all(earlier.freed for earlier in self.pairs), "two pairs are loaded at once"
        self.loads.append(pair)
        dice = np.random.default_rng(3)
        logits = 2 * dice.normal(size=(VOCABULARY, VOCABULARY))
        other = logits + dice.normal(size=logits.shape)
        loaded: Any = SmallPair(
            Loaded(PassedTable(logits, self.each_pass), self._record(pair.target, pair.dtype)),
            Loaded(TableModel(other), self._record(pair.draft, pair.dtype)),
        )
        self.pairs.append(loaded)
        pair_of_tables: LoadedPair = loaded
        return pair_of_tables

    def free(self, pair: Any) -> None:
        pair.freed = True

    def state(self, device: Device) -> DeviceState:
        return DeviceState(threads=self.threads, card=self.card if device == "cuda" else None)

    def _record(self, name: str, dtype: str) -> ModelRecord:
        return ModelRecord(
            name=name,
            source="a table",
            sha256=Reading[str](value=self.sha256),
            dtype=dtype,
            history="made for a test",
            parameters=VOCABULARY**2,
            weight_bytes=8 * VOCABULARY**2,
            layers=1,
            vocabulary=VOCABULARY,
            context=4096,
            cache_bytes_per_token=8,
        )


class PassedTable(TableModel):
    """A table that tells of each of its passes, and of those of its copies."""

    def __init__(self, logits: Any, tell: Callable[[int], None], *, passes: list[int] | None = None) -> None:
        super().__init__(logits)
        self._tell = tell
        self._passes = [0] if passes is None else passes

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Any:
        self._passes[0] += 1
        self._tell(self._passes[0])
        return super().feed(ids, last=last)

    def fork(self) -> PassedTable:
        twin = PassedTable(self._logits, self._tell, passes=self._passes)
        twin.ids = list(self.ids)
        return twin


class Noted:
    """A watch that keeps what it is shown."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.steps: list[tuple[int, int, str, float]] = []

    def say(self, message: str) -> None:
        self.said.append(message)

    def step(self, done: int, total: int, cell: str, seconds_left: float) -> None:
        self.steps.append((done, total, cell, seconds_left))

    def __contains__(self, part: str) -> bool:
        return any(part in line for line in self.said)


def json_of(path: Path) -> Any:
    """The content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
