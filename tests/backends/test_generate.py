"""The two functions of the public face."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

from speclab import Sampling, plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.table import TableModel
from speclab.decoding.processes import BanUntil
from speclab.decoding.rules import Acceptance
from speclab.errors import InputError
from tables import counting
from tiny import contrary, disturbed, full_logits, plain_greedy, tiny_llama

MODEL = tiny_llama()
PROMPT = [1, 2, 3]
DUE = plain_greedy(MODEL, PROMPT, 12)


def test_transformers_models_are_wrapped() -> None:
    """Greedy by default, equal to plain decoding, each model with a cache of its own."""
    plain = plain_generate(MODEL, PROMPT, max_new_tokens=12)
    assert (plain.ids, plain.finish, len(plain.iterations)) == (DUE, "length", 12)
    for draft in (MODEL, contrary(MODEL), disturbed(MODEL, 0.1)):
        result = speculative_generate(MODEL, draft, PROMPT, k=3, max_new_tokens=12)
        assert result.ids == DUE
        assert result.prefill_ns > 0
        assert result.decode_ns > 0
    assert speculative_generate(MODEL, MODEL, PROMPT, max_new_tokens=12).alpha == 1


@pytest.mark.parametrize(
    "prompt", [PROMPT, tuple(PROMPT), torch.tensor(PROMPT), torch.tensor([PROMPT]), np.array(PROMPT), [PROMPT]]
)
def test_prompts_of_every_shape(prompt: Any) -> None:
    """A sequence, a tensor of one or two dimensions."""
    assert plain_generate(MODEL, prompt, max_new_tokens=4).ids == DUE[:4]


@pytest.mark.parametrize("prompt", ["text", [1.5], [[1], [2]], torch.tensor([[1], [2]]), 7, None], ids=repr)
def test_unusable_prompts_are_refused(prompt: Any) -> None:
    """Text, fractions, a batch, a number."""
    with pytest.raises(InputError, match="encode text first"):
        plain_generate(MODEL, prompt)


@pytest.mark.parametrize(
    ("stop", "length"),
    [
        (None, 12),
        (DUE[3], 4),
        ([DUE[3]], 4),
        ((DUE[3], 63), 4),
        ({DUE[5], DUE[3]}, 4),
        (torch.tensor(DUE[3]), 4),
        (torch.tensor([DUE[3], DUE[5]]), 4),
        ([], 12),
        ("model", 12),
    ],
    ids=repr,
)
def test_stops_of_every_shape(stop: Any, length: int) -> None:
    """None, an integer, several, a tensor; any of them ends the output."""
    assert DUE.index(DUE[3]) == 3
    result = speculative_generate(MODEL, MODEL, PROMPT, k=6, stop=stop, max_new_tokens=12)
    assert (result.ids, result.finish) == (DUE[:length], "stop" if length == 4 else "length")


@pytest.mark.parametrize("named", [DUE[3], [63, DUE[3]]])
def test_the_model_s_own_stops_are_the_default(named: Any) -> None:
    """Those of its generation_config, unless something else is given."""
    model = tiny_llama()
    model.generation_config.eos_token_id = named
    assert plain_generate(model, PROMPT, max_new_tokens=12).ids == DUE[:4]
    assert plain_generate(HFModel(model), PROMPT, max_new_tokens=12).ids == DUE[:4]
    assert plain_generate(model, PROMPT, max_new_tokens=12, stop=None).ids == DUE


@pytest.mark.parametrize("stop", ["</s>", 1.5, [1.5]])
def test_unusable_stops_are_refused(stop: Any) -> None:
    """Text has no id here."""
    with pytest.raises(InputError, match="it is a token id"):
        plain_generate(MODEL, PROMPT, stop=stop)


def test_table_models_need_no_torch() -> None:
    """The same call on models that keep the protocol themselves; one given twice is copied."""
    table = counting()
    result = speculative_generate(table, table, [1], k=3, max_new_tokens=8)
    assert result.ids == tuple(range(2, 10))
    sampled = speculative_generate(
        counting(), counting(step=2), [1], sampling=Sampling(temperature=1.0), max_new_tokens=8
    )
    assert len(sampled.ids) == 8


def test_seed_repeats() -> None:
    """The same seed gives the same tokens and iterations, another one others."""

    def drawn(seed: int) -> tuple[int, ...]:
        sampling = Sampling(temperature=1.0, top_k=40, top_p=0.95)
        return speculative_generate(
            MODEL, disturbed(MODEL, 0.1), PROMPT, k=3, sampling=sampling, seed=seed, max_new_tokens=15
        ).ids

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(4)}) == 4


def test_the_draft_may_have_a_sampling_of_its_own() -> None:
    """Chosen proposals are its likeliest tokens; drawn ones are not always, and are the default."""

    def likeliest(draft_sampling: Sampling | None) -> list[bool]:
        result = speculative_generate(
            MODEL,
            MODEL,
            PROMPT,
            k=1,
            sampling=Sampling(temperature=2.0),
            draft_sampling=draft_sampling,
            max_new_tokens=20,
        )
        prefix, found = list(PROMPT), []
        for each in result.iterations:
            found += [int(full_logits(MODEL, prefix)[-1].argmax()) == token for token in each.proposed]
            prefix += each.committed
        return found

    assert all(likeliest(Sampling()))
    assert not all(likeliest(None))
    assert not all(likeliest(Sampling(temperature=2.0)))


def test_the_rule_decides_what_stands() -> None:
    """One that keeps nothing puts its own token each time; a greedy run asks none."""

    def none(proposals: Any, draft_laws: Any, target_laws: Any, source: Any, position: int) -> Acceptance:
        assert len(proposals.tokens) == len(draft_laws or ()) == len(target_laws) - 1
        assert source.choose((1.0,), position) == 0
        return Acceptance(0, position)

    ask: Any = {"k": 3, "rule": none, "max_new_tokens": 4}
    sampled = speculative_generate(MODEL, MODEL, PROMPT, sampling=Sampling(temperature=1.0), **ask)
    assert sampled.ids == (3, 4, 5, 6)
    assert speculative_generate(MODEL, MODEL, PROMPT, **ask).ids == DUE[:4]


def test_a_source_takes_the_place_of_the_seed() -> None:
    """Plain and speculative; the seed then says nothing."""

    class Likeliest:
        """Takes the likeliest outcome."""

        def __init__(self) -> None:
            self.positions: list[int] = []

        def choose(self, law: Any, position: int) -> int:
            self.positions.append(position)
            return int(torch.as_tensor(law).argmax())

    sampling = Sampling(temperature=1.0)
    for seed in (0, 1):
        ask: Any = {"sampling": sampling, "seed": seed, "max_new_tokens": 6}
        source = Likeliest()
        assert plain_generate(MODEL, PROMPT, source=source, **ask).ids == DUE[:6]
        assert source.positions == [3, 4, 5, 6, 7, 8]
        source = Likeliest()
        assert speculative_generate(MODEL, MODEL, PROMPT, k=2, source=source, **ask).ids == DUE[:6]
        # Two proposals, a verdict on each, and the token behind them.
        assert source.positions[:5] == [3, 4, 3, 4, 5]


def test_used_models_are_refused() -> None:
    """A wrapped model is used up by one generation; a transformers model never is."""
    wrapped = HFModel(MODEL)
    assert plain_generate(wrapped, PROMPT, max_new_tokens=4).ids == DUE[:4]
    with pytest.raises(InputError, match="a cache that was used is consumed"):
        plain_generate(wrapped, PROMPT, max_new_tokens=4)
    with pytest.raises(InputError, match="a cache that was used is consumed"):
        speculative_generate(MODEL, wrapped, PROMPT, max_new_tokens=4)


@pytest.mark.parametrize("sizes", [(80, 64), (64, 80)])
def test_padded_vocabularies(sizes: tuple[int, int]) -> None:
    """Outputs of two sizes are refused until the number of real ids is given; then padding never comes out."""
    target, draft = (tiny_llama(vocabulary=size) for size in sizes)
    with pytest.raises(
        InputError, match=f"the target has {sizes[0]} token ids and the draft {sizes[1]}.*vocabulary="
    ):
        speculative_generate(target, draft, PROMPT)
    for model in (target, draft):
        model.lm_head.weight[62] = model.lm_head.weight[:60].sum(0) * 3
        model.lm_head.weight[63] = -model.lm_head.weight[62]
    for sampling in (Sampling(), Sampling(temperature=1.0)):
        plain = plain_generate(target, PROMPT, sampling=sampling, vocabulary=60, max_new_tokens=20)
        result = speculative_generate(target, draft, PROMPT, sampling=sampling, vocabulary=60, max_new_tokens=20)
        assert max(*plain.ids, *result.ids) < 60
        assert all(token < 60 for each in result.iterations for token in each.proposed)
        assert not sampling.greedy or result.ids == plain.ids
    with pytest.raises(InputError, match="the model given has 60 ids already"):
        plain_generate(HFModel(target, vocabulary=60), PROMPT, vocabulary=64)


def test_k_zero_leaves_the_draft_alone() -> None:
    """Its cache stays empty."""
    draft = HFModel(MODEL)
    result = speculative_generate(MODEL, draft, PROMPT, k=0, max_new_tokens=4)
    assert result.ids == DUE[:4]
    assert draft.length == 0


def test_one_object_as_target_and_draft_is_a_perfect_draft() -> None:
    """Each side gets a cache of its own, so the output is right and everything is accepted."""
    model = counting()
    expected = plain_generate(model.fork(), [1, 2], max_new_tokens=8).ids
    found = speculative_generate(model, model, [1, 2], k=3, max_new_tokens=8)
    assert found.ids == expected
    assert found.alpha == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"k": 2.5}, "k is 2.5; it must be a whole number, at least 0"),
        ({"k": None}, "k is None"),
        ({"max_new_tokens": 2.5}, "max_new_tokens is 2.5"),
        ({"min_new_tokens": -1}, "min_new_tokens is -1"),
        ({"max_new_tokens": True}, "max_new_tokens is True"),
        ({"seed": 2**63}, "seed is 9223372036854775808; it must be a whole number, from 0 to"),
        ({"seed": "a"}, "seed is 'a'"),
        ({"stop": True}, "stop is True; it is a token id"),
        ({"stop": ""}, "stop is ''"),
        ({"stop": -1}, "stop is -1; it is a token id, several of them (from 0 to 63)"),
        ({"stop": [3, 64]}, "stop is [3, 64]"),
        ({"stop_strings": 5}, "stop_strings is 5; it is a string, or several"),
        (
            {"stop_strings": "a", "tokenizer": "llama"},
            "the stop strings ['a'] cannot be looked for with this tokenizer",
        ),
        ({"sampling": 0.7}, "sampling is 0.7; it is a Sampling"),
        ({"sampling": None}, "sampling is None"),
        ({"draft_sampling": 0.7}, "draft_sampling is 0.7"),
        ({"rule": None}, "rule is a rule of acceptance"),
        ({"source": "x"}, "source a source of random decisions"),
    ],
    ids=str,
)
def test_what_is_mistaken_is_one_line(arguments: dict[str, Any], says: str) -> None:
    """Whatever is easily written by mistake: never a traceback, never another budget than asked for."""
    with pytest.raises(InputError, match=re.escape(says)):
        speculative_generate(MODEL, MODEL, PROMPT, **arguments)


def test_a_table_takes_its_own_tokens_alone() -> None:
    """An id from elsewhere would be read as another one, or as none."""
    for token in (-1, 4, 9):
        with pytest.raises(InputError, match=f"token {token} is outside the table's vocabulary of 4"):
            plain_generate(TableModel(np.eye(4)), [token])
    with pytest.raises(InputError, match="one model is a transformers model and the other a table"):
        speculative_generate(MODEL, TableModel(np.eye(64)), PROMPT)


def test_a_stop_that_no_model_can_write_bans_nothing() -> None:
    """A configuration may name -1; the last token of the vocabulary is not meant."""
    model = tiny_llama()
    model.generation_config.eos_token_id = [-1, 64]
    assert (
        plain_generate(model, PROMPT, min_new_tokens=6, max_new_tokens=6).ids
        == plain_generate(MODEL, PROMPT, stop=None, max_new_tokens=6).ids
    )
    ban = BanUntil((-1, 99), 5)
    assert ban([1], np.zeros(4)).tolist() == [0.0] * 4


def test_cuts_need_a_temperature() -> None:
    """Greedy decoding would not look at them."""
    for cut in ({"top_k": 3}, {"top_p": 0.9}, {"min_p": 0.1}):
        with pytest.raises(InputError, match="give a temperature above 0"):
            Sampling(**cut)
