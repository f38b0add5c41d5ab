"""Budgets, contexts, and prompts of every length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scripted import Never
from speclab.decoding.generation import collect
from speclab.decoding.loop import plain, speculative
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from tables import STEPS, count, counting

if TYPE_CHECKING:
    from speclab.decoding.proposers.draft import DraftModel


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("tokens", ["0", "1", "2", "k", "k+1", "k+2", "3k"])
def test_budget_binds(tokens: str, k: int, step: int) -> None:
    """Exactly the tokens asked for; no proposal overruns them, and one token asks no draft at all."""
    budget = {"k": k, "k+1": k + 1, "k+2": k + 2, "3k": 3 * k}.get(tokens) or int(tokens)
    result = count([3], k, budget, draft=counting(step=step))
    assert result.ids == tuple(range(4, 4 + budget))
    assert result.finish == "length"
    left = budget
    for each in result.iterations:
        assert len(each.proposed) == min(k, left - 1)
        left -= len(each.committed)
    assert left == 0


@pytest.mark.parametrize(
    ("prompt", "tokens", "finish"),
    [(28, 4, "context"), (31, 1, "context"), (32, 0, "context"), (22, 10, "length"), (20, 10, "length")],
)
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_context_is_never_exceeded(prompt: int, tokens: int, finish: str, step: int) -> None:
    """Prompt and output fit the target's 32 positions, whatever k and the draft say."""
    ids = [each % 40 for each in range(prompt)]
    result = count(ids, 8, 10, draft=counting(step=step, context=32), context=32)
    assert (len(result.ids), result.finish) == (tokens, finish)
    assert result.ids == tuple((prompt + each) % 40 for each in range(tokens))


def test_prompt_longer_than_the_context_is_refused() -> None:
    """With both lengths in the message."""
    with pytest.raises(InputError, match="33 tokens and the model's context only 32"):
        count([each % 40 for each in range(33)], 8, 10, context=32)


def test_draft_with_a_shorter_context_stops_proposing() -> None:
    """The output goes on as before; a draft that the prompt alone overfills is never asked."""
    result = count(list(range(10)), 4, 30, draft=counting(context=16))
    assert result.ids == tuple(each % 40 for each in range(10, 40))
    lengths = [len(each.proposed) for each in result.iterations]
    assert lengths[0] == 4
    assert lengths[-1] == 0
    assert sum(lengths) > 0
    assert not any(each.complete for each in result.iterations if not each.proposed)
    result = count(list(range(20)), 4, 8, draft=counting(context=16))
    assert result.ids == tuple(range(20, 28))
    assert all(each.proposed == () for each in result.iterations)


def test_prompt_of_one_token_and_of_none() -> None:
    """One token needs no prefill; none is refused."""
    assert count([7], 2, 3).ids == (8, 9, 10)
    with pytest.raises(InputError, match="holds no token"):
        count([], 2, 3)


class _Untouchable:
    """A proposer that must not be used."""

    def __getattr__(self, name: str) -> None:
        msg = f"{name} was asked for"
        raise AssertionError(msg)


def test_k_zero_is_plain_decoding() -> None:
    """No draft is asked, each iteration commits one token and is complete."""
    untouchable: DraftModel = _Untouchable()  # type: ignore[assignment]
    options = {"sampling": GREEDY, "source": Never(), "max_new_tokens": 5}
    none = collect(speculative(counting(), untouchable, [3], k=0, **options))  # type: ignore[arg-type]
    alone = collect(plain(counting(), [3], **options))  # type: ignore[arg-type]
    assert none.ids == alone.ids == (4, 5, 6, 7, 8)
    assert none.iterations == alone.iterations
    assert all(each.complete and each.committed for each in alone.iterations)
    assert (alone.alpha, alone.tokens_per_iteration) == (None, 1.0)


@pytest.mark.parametrize(("k", "tokens"), [(-1, 3), (2, -1)])
def test_negative_numbers_are_refused(k: int, tokens: int) -> None:
    """With both in the message."""
    with pytest.raises(InputError, match=f"k is {k} and max_new_tokens {tokens}"):
        count([3], k, tokens)
