"""The first end-of-text token among the committed ones ends the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scripted import Never
from speclab.backends.hf.model import HFModel
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.decoding.stops import stop_at
from tables import STEPS, count, counting
from tiny import contrary, disturbed, plain_greedy, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("place", range(10))
def test_first_stop_ends_the_output(place: int, step: int) -> None:
    """Wherever it stands: first, inside, last and bonus of the first block (k = 6), and in the next one."""
    end = 11 + place
    result = count([10], 6, 30, draft=counting(step=step), stop={end, end + 1, end + 2})
    assert result.ids == tuple(range(11, end + 1))
    assert result.finish == "stop"
    assert sum(len(each.committed) for each in result.iterations) == len(result.ids)


def test_iteration_that_a_stop_cut() -> None:
    """What stood is counted, what was committed is cut, and the iteration is not complete."""
    (only,) = count([10], 6, 30, stop={13}).iterations
    assert (only.proposed, only.accepted, only.committed) == ((11, 12, 13, 14, 15, 16), 6, (11, 12, 13))
    assert not only.complete
    assert only.target_length == 3  # the prompt and two of the three; the last is pending
    (whole,) = count([10], 6, 30, stop={17}).iterations
    assert whole.committed[-1] == 17
    assert whole.complete


def test_stop_in_the_prompt_ends_nothing() -> None:
    """Only committed tokens end an output."""
    assert count([5, 10], 3, 4, stop={5, 10}).ids == (11, 12, 13, 14)


@pytest.mark.parametrize("make", [contrary, lambda model: disturbed(model, 0.1), lambda model: model])
def test_stops_and_context_on_a_real_model(make: Callable[[Any], Any]) -> None:
    """The same limits through real caches: a stop of plain decoding's own output, then the end of the context."""
    model = tiny_llama(context=24)
    draft = make(model)
    ids = plain_greedy(model, [1, 2, 3], 21)
    for stop in {ids[0], ids[3], ids[5]}:
        due = ids[: ids.index(stop) + 1]
        result = collect(
            speculative(
                HFModel(model),
                DraftModel(HFModel(draft)),
                [1, 2, 3],
                k=5,
                sampling=GREEDY,
                source=Never(),
                stop=stop_at({stop}),
                max_new_tokens=12,
            )
        )
        assert (result.ids, result.finish) == (due, "stop")
    full = collect(
        speculative(
            HFModel(model),
            DraftModel(HFModel(draft)),
            [1, 2, 3],
            k=5,
            sampling=GREEDY,
            source=Never(),
            max_new_tokens=50,
        )
    )
    assert (full.ids, full.finish) == (ids, "context")
