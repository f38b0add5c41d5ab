"""Faults that others met doing this job, each as a test of what went wrong and not of where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers import GPT2Config

from families import build
from scripted import Never
from speclab.backends.hf.model import HFModel
from speclab.backends.table import TableModel
from speclab.decoding import loop
from speclab.decoding.generation import collect
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.protocols import Proposals
from speclab.decoding.rules import accept_sample
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.decoding.stops import never, stop_at
from speclab.errors import InputError
from speclab.experiments.exactness.wrong import softmax_residual
from speclab.theory.enumerate import joint_law, law_distance, walk
from tiny import contrary, disturbed, plain_greedy, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import Model, RandomSource
    from speclab.decoding.rules import SampleRule
    from speclab.decoding.stops import Stop

TARGET, DRAFT = (TableModel(np.random.default_rng(seed).normal(size=(3, 3))) for seed in (1, 2))
END = 2
TOKENS = 4
SAMPLING = Sampling(temperature=1.0)
POSITIONED = {context: build(GPT2Config, {"max_position_embeddings": context}) for context in (16, 32, 64)}
"""Models that have learned no more positions than these."""


def sampled(source: RandomSource, *, k: int, draft: TableModel = DRAFT, stop: Stop = never) -> tuple[int, ...]:
    """The new tokens of a small table behind the token 0."""
    iterations = speculative(
        TARGET.fork(),
        DraftModel(draft.fork()),
        [0],
        k=k,
        sampling=SAMPLING,
        source=source,
        stop=stop,
        max_new_tokens=TOKENS,
    )
    return collect(iterations).ids


def greedy(target: Model, draft: Model, prompt: list[int], *, k: int, tokens: int) -> Any:
    """Greedy decoding of real models, not yet begun."""
    return speculative(
        target, DraftModel(draft), prompt, k=k, sampling=GREEDY, source=Never(), max_new_tokens=tokens
    )


def up_to_the_end(ids: tuple[int, ...]) -> tuple[int, ...]:
    return ids[: ids.index(END) + 1] if END in ids else ids


def exact() -> dict[tuple[int, ...], float]:
    """The law of plain sampling that ends with the first `END`, by the chain rule."""
    whole = joint_law(lambda ids: TARGET.law(TARGET._logits[ids[-1] if ids else 0], SAMPLING).tolist(), TOKENS)
    law: dict[tuple[int, ...], float] = {}
    for ids, weight in whole.items():
        law[up_to_the_end(ids)] = law.get(up_to_the_end(ids), 0.0) + weight
    return law


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("draft", [DRAFT, TARGET], ids=["another", "itself"])
def test_an_accepted_end_is_kept_and_nothing_behind_it(draft: TableModel, k: int) -> None:
    """When sampling too: the law of the output with its end is plain's, wherever in a block the end stands."""
    counted = walk(lambda source: sampled(source, k=k, draft=draft, stop=stop_at({END})))
    assert law_distance(counted, exact()) < 1e-9
    assert max(len(ids) for ids in counted) == TOKENS


def test_an_end_looked_for_behind_the_block_alone_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault itself: tokens of a block are appended, then the last is looked at."""

    def behind(sequence: list[int], tokens: tuple[int, ...], stop: Stop) -> bool:
        sequence += tokens
        return stop(sequence)

    monkeypatch.setattr(loop, "_commit", behind)
    counted = walk(lambda source: sampled(source, k=2, stop=stop_at({END})))
    assert law_distance(counted, exact()) > 0.05


@pytest.mark.parametrize(
    ("rule", "due"),
    [(accept_sample, (0.1, 0.2, 0.7)), (softmax_residual, (0.237, 0.337, 0.426))],
    ids=["sum", "softmax"],
)
def test_the_residual_is_divided_by_its_sum(rule: SampleRule, due: tuple[float, ...]) -> None:
    """Put through a softmax it gives chances to tokens that have none: by these amounts."""
    p, q = np.array([0.1, 0.2, 0.7]), np.array([0.5, 0.3, 0.2])

    def first(source: RandomSource) -> int:
        token = source.choose(q, 0)
        verdict = rule(Proposals((token,), (q,)), (q,), (p, p), source, 0)
        return token if verdict.accepted else verdict.token

    law = walk(first)
    assert [law[token] for token in range(3)] == pytest.approx(due, abs=5e-4)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("make", [contrary, lambda model: disturbed(model, 0.1), lambda model: model])
def test_the_budget_binds_on_real_models(make: Callable[[Any], Any], k: int) -> None:
    """Whatever the draft: as many tokens as asked for, the first of plain decoding's, and no proposal too many."""
    model = tiny_llama(layers=1)
    draft = make(model)
    due = plain_greedy(model, [1, 2, 3], k + 3)
    for budget in {0, 1, 2, 3, k, k + 1, k + 2}:
        result = collect(greedy(HFModel(model), HFModel(draft), [1, 2, 3], k=k, tokens=budget))
        assert result.ids == due[:budget]
        assert all(len(each.proposed) < budget for each in result.iterations)


@pytest.mark.parametrize(("length", "tokens"), [(1, 31), (28, 4), (31, 1), (32, 0)])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_no_position_behind_the_context_is_fed(noise: float, length: int, tokens: int) -> None:
    """A model of 32 learned positions, with a draft that looks eight tokens ahead: it would fail at the next."""
    model = POSITIONED[32]
    prompt = [(5 * place) % 64 for place in range(length)]
    result = collect(greedy(HFModel(model), HFModel(disturbed(model, noise)), prompt, k=8, tokens=40))
    assert result.ids == plain_greedy(model, prompt, tokens)
    assert result.finish == "context"
    assert (
        collect(plain(HFModel(model), prompt, sampling=GREEDY, source=Never(), max_new_tokens=40)).ids
        == result.ids
    )


def test_a_prompt_behind_the_context_is_refused() -> None:
    """Before any pass."""
    with pytest.raises(InputError, match="33 tokens and the model's context only 32: shorten it"):
        next(greedy(HFModel(POSITIONED[32]), HFModel(POSITIONED[64]), [0] * 33, k=2, tokens=2))


@pytest.mark.parametrize("length", [10, 16, 17, 30])
def test_a_draft_that_has_fewer_positions_stops_guessing(length: int) -> None:
    """The output goes on as plain decoding's; the draft is never fed past its sixteen."""
    model, draft = POSITIONED[64], HFModel(POSITIONED[16])
    prompt = [(5 * place) % 64 for place in range(length)]
    result = collect(greedy(HFModel(model), draft, prompt, k=4, tokens=30))
    assert result.ids == plain_greedy(model, prompt, 30)
    assert result.finish == "length"
    assert draft.length <= 16
    proposed = [len(each.proposed) for each in result.iterations]
    assert proposed == sorted(proposed, reverse=True)
    assert (proposed[0] > 0) == (length <= 16)
    assert proposed[-1] == 0
