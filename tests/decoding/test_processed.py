"""Rows that are changed by what came before: each is shown with exactly its own prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from scripted import Never
from speclab import plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.processors import as_process
from speclab.backends.table import TableModel
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.processed import ProcessedModel
from speclab.decoding.processes import BanUntil, InTurn
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.errors import InputError
from speclab.theory.enumerate import joint_law, law_distance, walk
from tables import STEPS, counting
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.generation import Generation
    from speclab.decoding.protocols import RandomSource

PROMPT = [0, 1, 2]


class Recorder:
    """Changes nothing and keeps every prefix that it was shown."""

    def __init__(self) -> None:
        self.prefixes: list[tuple[int, ...]] = []

    def __call__(self, prefix: Sequence[int], row: Any) -> Any:
        self.prefixes.append(tuple(prefix))
        return row


def recorded(draft: int, k: int, tokens: int) -> tuple[Generation, Recorder]:
    """Counting from 2 with a draft that counts by `draft`; the target's rows go past a recorder."""
    recorder = Recorder()
    target = ProcessedModel(counting(), recorder, len(PROMPT))
    iterations = speculative(
        target,
        DraftModel(counting(step=draft)),
        PROMPT,
        k=k,
        sampling=GREEDY,
        source=Never(),
        max_new_tokens=tokens,
    )
    return collect(iterations), recorder


@pytest.mark.parametrize("k", [0, 1, 3, 6])
@pytest.mark.parametrize("draft", STEPS.values(), ids=STEPS)
def test_each_row_comes_with_its_own_prefix(draft: int, k: int) -> None:
    """The committed tokens and the proposals before it; at what is committed, exactly plain's prefixes."""
    generation, recorder = recorded(draft, k, 13)
    shown = iter(recorder.prefixes)
    sequence = list(PROMPT)
    for each in generation.iterations:
        rows = [next(shown) for _ in range(len(each.proposed) + 1)]
        assert rows == [(*sequence, *each.proposed[:index]) for index in range(len(rows))]
        for token in each.committed:
            assert rows.pop(0) == tuple(sequence)
            sequence.append(token)
    assert next(shown, None) is None
    assert generation.ids == tuple(range(3, 16))


def test_rows_inside_the_prompt_are_left_alone() -> None:
    """They decide nothing, and a process may not be able to make anything of them."""
    recorder = Recorder()
    model = ProcessedModel(counting(), recorder, 3)
    rows = model.feed([5, 6, 7, 8])
    assert recorder.prefixes == [(5, 6, 7), (5, 6, 7, 8)]
    assert rows.argmax(-1).tolist() == [6, 7, 8, 9]
    model.rollback(3)
    model.feed([9], last=1)
    assert recorder.prefixes[2:] == [(5, 6, 7, 9)]
    assert (model.ids, model.length, model.vocabulary, model.context) == ([5, 6, 7, 9], 4, 40, 4096)


def test_the_model_s_own_rows_are_not_written_to() -> None:
    """A model that gives out its own memory says the same again afterwards."""

    class Lender(TableModel):
        def feed(self, ids: Sequence[int], *, last: int | None = None) -> Any:
            super().feed(ids, last=last)
            return self._logits[: len(ids)]

    model = Lender(np.zeros((4, 4)))
    ProcessedModel(model, BanUntil((2,), 9), 0).feed([0, 1])
    assert not model.feed([0, 1]).any()


def test_a_fork_is_processed_too() -> None:
    """With a cache of its own."""
    model = ProcessedModel(counting(8), BanUntil((3,), 9), 1)
    model.feed([1])
    twin = model.fork()
    assert twin.feed([2])[0, 3] == -np.inf
    assert (model.length, twin.length) == (1, 2)


@pytest.mark.parametrize("array", [np.asarray, torch.tensor], ids=["numpy", "torch"])
def test_a_ban_ends_with_its_length(array: Any) -> None:
    """Ids outside the vocabulary are no error, and the row that came in stays as it was."""
    row = array([1.0, 2.0, 3.0])
    ban = BanUntil((0, 2, 7), 5)
    assert ban([1] * 4, row).tolist() == [-np.inf, 2.0, -np.inf]
    assert ban([1] * 5, row).tolist() == [1.0, 2.0, 3.0]
    assert BanUntil((7,), 5)([1], row).tolist() == row.tolist() == [1.0, 2.0, 3.0]


def test_processes_in_turn() -> None:
    """Each gets what the one before it made."""

    def add(_: Sequence[int], row: Any) -> Any:
        return row + 1

    def double(prefix: Sequence[int], row: Any) -> Any:
        return row * len(prefix)

    assert InTurn((add, double))([4, 4], np.array([1.0])).tolist() == [4.0]
    assert InTurn((double, add))([4, 4], np.array([1.0])).tolist() == [3.0]


def eager(vocabulary: int = 5) -> TableModel:
    """Wants to end (0) above all, then with 1, and counts in circles of 2, 3, 4 below these."""
    logits = np.zeros((vocabulary, vocabulary))
    logits[:, 0], logits[:, 1] = 9.0, 8.0
    for token in range(vocabulary):
        logits[token, 2 + (token - 1) % (vocabulary - 2)] = 5.0
    return TableModel(logits)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("least", [0, 1, 4, 5, 7])
def test_the_end_is_impossible_until_enough_tokens_are_out(least: int, k: int) -> None:
    """Counted in tokens, not in passes: so many others, and then the end at once, for every k and draft."""
    for draft in (eager(), counting(5)):
        result = speculative_generate(
            eager(), draft, [2], k=k, stop=[0, 1], min_new_tokens=least, max_new_tokens=12
        )
        assert result.ids == (*[(3, 4, 2)[index % 3] for index in range(least)], 0)
        assert result.finish == "stop"
    assert plain_generate(eager(), [2], stop=[0, 1], min_new_tokens=least, max_new_tokens=12).ids == result.ids


def test_the_minimum_asks_for_stops_and_for_sense() -> None:
    """Without tokens that end the output nothing is banned; fewer than no token is an error."""
    assert plain_generate(eager(), [2], stop=None, min_new_tokens=3, max_new_tokens=4).ids == (0, 0, 0, 0)
    assert plain_generate(eager(), [2], stop=[0, 4], min_new_tokens=2, max_new_tokens=4).ids == (1, 1, 0)
    with pytest.raises(InputError, match="min_new_tokens is -1; it must be a whole number, at least 0"):
        plain_generate(eager(), [2], min_new_tokens=-1)


PENALTY = 1.8
LAW_PROMPT = [0]


class Stale(ProcessedModel):
    """Wrong on purpose: shows every row of a check with the committed tokens alone."""

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Any:
        prefix = [*self.ids, ids[0]]
        rows = self.model.feed(ids, last=last) + 0
        for row in rows:
            row[:] = self.process(prefix, row)
        return rows


def counted(kind: type[ProcessedModel], *, processed_draft: bool) -> dict[tuple[int, ...], float]:
    """The law of three tokens with k = 2 and a repetition penalty, every outcome counted."""
    from transformers import RepetitionPenaltyLogitsProcessor

    penalty: Any = RepetitionPenaltyLogitsProcessor
    process = as_process([penalty(PENALTY)])
    target, draft = (
        HFModel(tiny_llama(seed, vocabulary=3, layers=1, hidden=16, sharpness=2.0, dtype=torch.float64))
        for seed in (1, 10)
    )

    def run(source: RandomSource) -> tuple[int, ...]:
        guessing: Any = draft.fork()
        if processed_draft:
            guessing = ProcessedModel(guessing, process, len(LAW_PROMPT))
        iterations = speculative(
            kind(target.fork(), process, len(LAW_PROMPT)),
            DraftModel(guessing),
            LAW_PROMPT,
            k=2,
            sampling=Sampling(temperature=1.0),
            source=source,
            max_new_tokens=3,
        )
        return collect(iterations).ids

    return walk(run)


def due() -> dict[tuple[int, ...], float]:
    """The chain rule over full passes, the penalty written out."""
    model = tiny_llama(1, vocabulary=3, layers=1, hidden=16, sharpness=2.0, dtype=torch.float64)

    def step(decided: tuple[int, ...]) -> torch.Tensor:
        ids = [*LAW_PROMPT, *decided]
        row = full_logits(model, ids)[-1]
        for token in set(ids):
            row[token] = row[token] * PENALTY if row[token] < 0 else row[token] / PENALTY
        return row.softmax(-1)

    return joint_law(step, 3)


@pytest.mark.parametrize("processed_draft", [True, False])
def test_the_law_under_a_repetition_penalty_is_exact(*, processed_draft: bool) -> None:
    """To 1e-9, whether or not the draft's rows are processed alike."""
    assert law_distance(counted(ProcessedModel, processed_draft=processed_draft), due()) < 1e-9


def test_a_stale_prefix_changes_the_law() -> None:
    """So the test above can fail."""
    assert law_distance(counted(Stale, processed_draft=True), due()) > 0.01
