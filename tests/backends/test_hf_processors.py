"""Logits processors of transformers inside the loop: each on the tested list against plain decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from transformers import generation
from transformers.generation import logits_process

from drafts import drafts, generated, plain_sampled
from speclab import Sampling, plain_generate, speculative_generate
from speclab.backends.hf.model import HFModel
from speclab.backends.hf.processors import REASONS, TESTED, as_process
from speclab.backends.hf.source import PositionSource
from speclab.backends.table import TableModel
from speclab.decoding.protocols import LogitsError
from speclab.decoding.rules import accept_own_draw
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from tiny import tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

V = 48
G: Any = generation
MODEL = tiny_llama(36, vocabulary=V, layers=1, hidden=16)
DRAFTS = drafts(MODEL)
TOKENS = 10
PROMPTS = {"ForcedBOSTokenLogitsProcessor": [1]}  # which acts after a single token
PROMPT = [1, 2, 3]
SOURCE = 0
UNPROCESSED = {len(prompt): generated(MODEL, prompt, TOKENS) for prompt in (PROMPT, [1])}
FIRST, SECOND, THIRD = UNPROCESSED[3][:3]


def allowed(batch: int, ids: torch.Tensor) -> list[int]:
    """After an even token an odd one, and the other way round."""
    assert batch == 0
    return list(range(1 - int(ids[-1]) % 2, V, 2))


def watermark(scheme: str) -> Any:
    return G.WatermarkLogitsProcessor(
        vocab_size=V, device="cpu", greenlist_ratio=0.5, bias=12.0, seeding_scheme=scheme
    )


CHANGE_THE_CHOICE: dict[str, Callable[[], Any]] = {
    "AlternatingCodebooksLogitsProcessor": lambda: logits_process.AlternatingCodebooksLogitsProcessor(3, 8, 20),
    "BarkEosPrioritizerLogitsProcessor": lambda: logits_process.BarkEosPrioritizerLogitsProcessor(SECOND, 0.02),
    "EncoderNoRepeatNGramLogitsProcessor": lambda: G.EncoderNoRepeatNGramLogitsProcessor(
        2, torch.tensor([[*PROMPT, FIRST, SECOND]])
    ),
    "EncoderRepetitionPenaltyLogitsProcessor": lambda: G.EncoderRepetitionPenaltyLogitsProcessor(
        3.0, torch.tensor([[5, 6, 7]])
    ),
    "ExponentialDecayLengthPenalty": lambda: G.ExponentialDecayLengthPenalty((2, 1.5), 7, 3),
    "ForcedBOSTokenLogitsProcessor": lambda: G.ForcedBOSTokenLogitsProcessor(9),
    "ForcedEOSTokenLogitsProcessor": lambda: G.ForcedEOSTokenLogitsProcessor(8, 7),
    "MinLengthLogitsProcessor": lambda: G.MinLengthLogitsProcessor(7, [SECOND, THIRD]),
    "MinNewTokensLengthLogitsProcessor": lambda: G.MinNewTokensLengthLogitsProcessor(3, 4, SECOND),
    "NoBadWordsLogitsProcessor": lambda: G.NoBadWordsLogitsProcessor([[FIRST, SECOND], [9]]),
    "NoRepeatNGramLogitsProcessor": lambda: G.NoRepeatNGramLogitsProcessor(2),
    "PrefixConstrainedLogitsProcessor": lambda: G.PrefixConstrainedLogitsProcessor(allowed, 1),
    "RepetitionPenaltyLogitsProcessor": lambda: G.RepetitionPenaltyLogitsProcessor(1.5),
    "SequenceBiasLogitsProcessor": lambda: G.SequenceBiasLogitsProcessor({(7,): 2.5, (FIRST, 11): 50.0}),
    "SuppressTokensAtBeginLogitsProcessor": lambda: G.SuppressTokensAtBeginLogitsProcessor([FIRST], 3),
    "SuppressTokensLogitsProcessor": lambda: G.SuppressTokensLogitsProcessor([SECOND]),
    "WatermarkLogitsProcessor": lambda: watermark("lefthash"),
    "WatermarkLogitsProcessor selfhash": lambda: watermark("selfhash"),
}
CHANGE_THE_LAW: dict[str, Callable[[], Any]] = {
    "EpsilonLogitsWarper": lambda: G.EpsilonLogitsWarper(0.1),
    "EtaLogitsWarper": lambda: G.EtaLogitsWarper(0.4),
    "InfNanRemoveLogitsProcessor": G.InfNanRemoveLogitsProcessor,
    "LogitNormalization": G.LogitNormalization,
    "MinPLogitsWarper": lambda: G.MinPLogitsWarper(0.4),
    "TemperatureLogitsWarper": lambda: G.TemperatureLogitsWarper(0.5),
    "TopHLogitsWarper": lambda: logits_process.TopHLogitsWarper(0.3),
    "TopKLogitsWarper": lambda: G.TopKLogitsWarper(2),
    "TopPLogitsWarper": lambda: G.TopPLogitsWarper(0.4),
    "TypicalLogitsWarper": lambda: G.TypicalLogitsWarper(0.3),
}
LISTED = CHANGE_THE_CHOICE | CHANGE_THE_LAW


@pytest.mark.parametrize("name", CHANGE_THE_CHOICE)
def test_greedy_output_is_that_of_generate(name: str) -> None:
    """For a draft that always, never and often agrees; and the processor matters."""
    make, prompt = LISTED[name], PROMPTS.get(name, PROMPT)
    due = generated(MODEL, prompt, TOKENS, logits_processor=G.LogitsProcessorList([make()]))
    assert due != UNPROCESSED[len(prompt)]
    for draft, k in (("self", 6), ("contrary", 1), ("disturbed", 3)):
        result = speculative_generate(
            MODEL, DRAFTS[draft], prompt, k=k, processors=[make()], max_new_tokens=TOKENS
        )
        assert result.ids == due, (draft, k)
        assert draft != "self" or result.alpha == 1  # the draft's rows are processed alike


@pytest.mark.parametrize("name", [*CHANGE_THE_LAW, "RepetitionPenaltyLogitsProcessor"])
def test_sampled_output_is_that_of_plain_sampling(name: str) -> None:
    """With numbers that are tied to positions, token for token; and the processor matters."""
    due, unprocessed = (
        plain_sampled(MODEL, PROMPT, TOKENS, processors, PositionSource(SOURCE))
        for processors in ([LISTED[name]()], [])
    )
    assert (due == unprocessed) == (name in {"InfNanRemoveLogitsProcessor", "LogitNormalization"})
    result = speculative_generate(
        MODEL,
        DRAFTS["disturbed"],
        PROMPT,
        k=3,
        sampling=Sampling(temperature=1.0),
        draft_sampling=GREEDY,
        rule=accept_own_draw,
        source=PositionSource(SOURCE),
        processors=[LISTED[name]()],
        max_new_tokens=TOKENS,
    )
    assert result.ids == due
    assert any(each.accepted for each in result.iterations)


def test_every_class_of_transformers_is_decided() -> None:
    """Taken and tested, or refused with a reason; a new class asks for a decision."""
    assert {name.split()[0] for name in LISTED} == TESTED
    assert not TESTED & set(REASONS)
    defined = {
        name
        for name, each in vars(logits_process).items()
        if isinstance(each, type) and issubclass(each, logits_process.LogitsProcessor)
    }
    assert defined - {"LogitsProcessor"} == TESTED | set(REASONS)


@pytest.mark.parametrize(("draft", "k"), [("self", 3), ("contrary", 6), ("disturbed", 6), ("stranger", 1)])
def test_several_processors_in_their_order(draft: str, k: int) -> None:
    """As a list of transformers; the second sees what the first left, so the order matters."""

    def both() -> list[Any]:
        return [G.SuppressTokensLogitsProcessor([FIRST, SECOND]), G.RepetitionPenaltyLogitsProcessor(1.8)]

    due = generated(MODEL, PROMPT, TOKENS, logits_processor=G.LogitsProcessorList(both()))
    listed = G.LogitsProcessorList(both())
    found = speculative_generate(MODEL, DRAFTS[draft], PROMPT, k=k, processors=listed, max_new_tokens=TOKENS)
    assert found.ids == due
    row = torch.linspace(-1, 1, V)
    bias, norm = G.SequenceBiasLogitsProcessor({(5,): 3.0}), G.LogitNormalization()
    assert not torch.equal(as_process([bias, norm])([1], row), as_process([norm, bias])([1], row))


def test_the_ban_of_early_ends_comes_first() -> None:
    """As in transformers: a processor that forces an end is not undone."""
    forced = [G.ForcedEOSTokenLogitsProcessor(7, FIRST)]
    due = generated(
        MODEL,
        PROMPT,
        TOKENS,
        eos_token_id=FIRST,
        pad_token_id=0,
        min_new_tokens=8,
        logits_processor=G.LogitsProcessorList(forced),
    )
    assert len(due) == 4
    for draft in DRAFTS.values():
        found = speculative_generate(
            MODEL,
            draft,
            PROMPT,
            k=3,
            processors=forced,
            stop=FIRST,
            min_new_tokens=8,
            max_new_tokens=TOKENS,
        )
        assert found.ids == due


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_likeliest_token_is_banned(draft: str) -> None:
    """Each prefix has a ban of its own: the runner-up comes out everywhere, as in plain decoding."""

    def others(batch: int, ids: torch.Tensor) -> list[int]:
        assert batch == 0
        best = int(MODEL(ids[None]).logits[0, -1].argmax())
        return [token for token in range(V) if token != best]

    due = generated(MODEL, PROMPT, 7, prefix_allowed_tokens_fn=others)
    banning = [G.PrefixConstrainedLogitsProcessor(others, 1)]
    assert speculative_generate(MODEL, DRAFTS[draft], PROMPT, k=3, processors=banning, max_new_tokens=7).ids == due
    assert due[0] != FIRST


def test_what_is_no_number_can_be_removed() -> None:
    """A model that says NaN stops the run, unless the processor is there that puts 0 in its place."""
    broken = tiny_llama(36, vocabulary=V, layers=1, hidden=16)
    broken.lm_head.weight[5] = torch.nan
    with pytest.raises(LogitsError, match="position 3"):
        speculative_generate(broken, MODEL, PROMPT, max_new_tokens=6)
    due = generated(broken, PROMPT, 6, remove_invalid_values=True)
    remove = [G.InfNanRemoveLogitsProcessor()]
    assert speculative_generate(broken, MODEL, PROMPT, processors=remove, max_new_tokens=6).ids == due


def test_one_position_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most processors know no other shapes than these."""
    seen = []

    def look(_: Any, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        seen.append((ids.shape[0], ids.dim(), ids.dtype, scores.shape, scores.dtype))
        return scores

    monkeypatch.setattr(G.TemperatureLogitsWarper, "__call__", look)
    speculative_generate(
        MODEL, MODEL, PROMPT, k=3, processors=[G.TemperatureLogitsWarper(2.0)], max_new_tokens=TOKENS
    )
    assert set(seen) == {(1, 2, torch.long, (1, V), torch.float32)}


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.0)], ids=["greedy", "drawn"])
@pytest.mark.parametrize("draft", DRAFTS)
def test_nothing_left_to_decide_names_the_position(draft: str, sampling: Sampling) -> None:
    """Where every token is banned; the draft, which is banned too, only proposes no further."""
    at_six = [G.SuppressTokensAtBeginLogitsProcessor(range(V), 6)]
    ask: Any = {"sampling": sampling, "processors": at_six}
    assert len(speculative_generate(MODEL, DRAFTS[draft], PROMPT, k=5, max_new_tokens=3, **ask).ids) == 3
    with pytest.raises(LogitsError, match="position 6 hold NaN, \\+inf or no finite entry") as raised:
        speculative_generate(MODEL, DRAFTS[draft], PROMPT, k=5, max_new_tokens=9, **ask)
    assert raised.value.position == 6


class Own(G.TemperatureLogitsWarper):  # type: ignore[misc] # a class that mypy does not see
    """May do anything."""


@pytest.mark.parametrize("name", REASONS)
def test_classes_that_remember_are_refused(name: str) -> None:
    """By name and reason, before anything is fed."""
    target = HFModel(MODEL)
    remembering = object.__new__(getattr(logits_process, name))
    with pytest.raises(InputError, match=f"^the logits processor {name} {REASONS[name]}: leave it out") as raised:
        speculative_generate(target, MODEL, PROMPT, processors=[G.LogitNormalization(), remembering])
    assert target.length == 0
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("other", [Own(2.0), allowed, "temperature", G.LogitsProcessorList()], ids=type)
def test_what_is_not_known_is_refused(other: Any) -> None:
    """A subclass of a known one, a function, a list within the list."""
    with pytest.raises(InputError, match=f"{type(other).__name__} is none of the classes known to keep nothing"):
        plain_generate(MODEL, PROMPT, processors=[other])


def constant(logits: list[float]) -> TableModel:
    """The same row after every token."""
    return TableModel(np.array([logits] * len(logits)))


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("likeliest", range(3))
def test_penalty_inside_a_block(likeliest: int, k: int) -> None:
    """A table too: A and B in turn until both are penalised, whatever a draft guesses."""
    prompt, penalty = [3], [G.RepetitionPenaltyLogitsProcessor(1.3)]
    target, draft = constant([2.0, 1.7, 1.0, -9.0]), constant([9.0 * (token == likeliest) for token in range(4)])
    found = speculative_generate(target, draft, prompt, k=k, processors=penalty, max_new_tokens=6)
    assert found.ids == (0, 1, 0, 0, 0, 0)
    assert (
        found.ids
        == plain_generate(constant([2.0, 1.7, 1.0, -9.0]), prompt, processors=penalty, max_new_tokens=6).ids
    )
