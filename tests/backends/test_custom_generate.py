"""The loop as the decoding function of a transformers model: plain `generate` is what it must equal."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import torch
import transformers

from drafts import drafts, generated
from small_models import small_tokenizer
from speclab.backends.hf import custom_generate, generate
from speclab.backends.hf.handed import require_usable
from speclab.backends.hf.support import CACHE_KEYWORDS
from speclab.errors import InputError
from speclab.theory.enumerate import joint_law, walk
from speclab.theory.goodness import chi_square
from tiny import full_logits, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import RandomSource

HF: Any = transformers
V = 48
MODEL = tiny_llama(36, vocabulary=V, layers=1, hidden=16)
DRAFTS = drafts(MODEL)
RUNS = (("self", 6), ("contrary", 1), ("disturbed", 3), ("stranger", 2))
PROMPT = [1, 2, 3]
IDS = torch.tensor([PROMPT])
FREE = generated(MODEL, PROMPT, 12)
END = FREE[4]


def test_the_function_is_what_the_room_shows() -> None:
    """By its name, though its module has another; and nothing else is made up."""
    import speclab.backends.hf as room

    assert room.generate is generate is custom_generate.generate
    with pytest.raises(AttributeError, match="has no attribute 'generated'"):
        _ = room.generated


@pytest.mark.parametrize(
    "options",
    [
        {"max_new_tokens": 12},
        {"max_new_tokens": 1},
        {"max_length": 9},
        {"max_new_tokens": 12, "eos_token_id": END},
        {"max_new_tokens": 12, "eos_token_id": [47, END], "pad_token_id": 0},
        {"max_new_tokens": 12, "eos_token_id": END, "min_new_tokens": 7},
        {"max_new_tokens": 12, "eos_token_id": END, "min_length": 9},
        {"max_new_tokens": 12, "repetition_penalty": 1.5},
        {"max_new_tokens": 12, "no_repeat_ngram_size": 2, "bad_words_ids": [[FREE[0]]]},
        {"max_new_tokens": 8, "forced_eos_token_id": 5},
        {"max_new_tokens": 6, "prefix_allowed_tokens_fn": lambda batch, ids: [batch, int(ids[-1]) // 2, 40]},
        {"max_new_tokens": 6, "use_cache": False, "attention_mask": torch.ones_like(IDS)},
    ],
    ids=",".join,
)
def test_greedy_output_is_plain(options: dict[str, Any]) -> None:
    """For every quality of draft: lengths, ends within a block, minima, penalties, bans, forced tokens."""
    due = MODEL.generate(IDS, **options)
    for draft, k in RUNS:
        found = MODEL.generate(IDS, custom_generate=generate, draft=DRAFTS[draft], k=k, **options)
        assert found.tolist() == due.tolist(), (draft, k)
        assert (found.dtype, found.device) == (due.dtype, due.device)


@pytest.mark.parametrize("length", [1, 2, 9, 30])
def test_prompts_of_several_lengths(length: int) -> None:
    """One token needs no prefill."""
    ids = torch.arange(5, 5 + length)[None]
    due = MODEL.generate(ids, max_new_tokens=8)
    for draft, k in RUNS:
        assert MODEL.generate(ids, custom_generate=generate, draft=DRAFTS[draft], k=k, max_new_tokens=8).equal(due)


def test_the_end_is_the_first_of_the_block() -> None:
    """Declared to be each token of a block in turn; nothing behind it is kept."""
    for place in range(7):
        end = FREE[place]
        due = [*PROMPT, *FREE[: FREE.index(end) + 1]]
        found = MODEL.generate(
            IDS, custom_generate=generate, draft=MODEL, k=6, max_new_tokens=12, eos_token_id=end, pad_token_id=0
        )
        assert found[0].tolist() == due


def test_criteria_are_used_as_they_are() -> None:
    """A user's own, which remembers; the length that ends an output is the user's where it is given."""

    class Fifth(HF.StoppingCriteria):  # type: ignore[misc] # a class that mypy does not see
        asked = 0

        def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
            assert scores is None
            self.asked += 1
            assert input_ids.shape == (1, len(PROMPT) + self.asked)
            return torch.tensor([self.asked == 5])

    for draft, k in RUNS:
        ask: Any = {"custom_generate": generate, "draft": DRAFTS[draft], "k": k, "max_new_tokens": 12}
        assert MODEL.generate(IDS, stopping_criteria=[Fifth()], **ask).tolist() == [[*PROMPT, *FREE[:5]]]
        shorter = [HF.MaxLengthCriteria(7)]
        assert MODEL.generate(IDS, stopping_criteria=shorter, **ask).tolist() == [[*PROMPT, *FREE[:4]]]
        passed = [HF.MaxLengthCriteria(2)]  # asked after a token, as in plain decoding
        assert MODEL.generate(IDS, stopping_criteria=passed, **ask).tolist() == [[*PROMPT, FREE[0]]]


def test_the_context_ends_the_output() -> None:
    """Plain decoding goes on, with positions the model has not learned."""
    short = tiny_llama(36, vocabulary=V, layers=1, hidden=16, context=10)
    found = short.generate(IDS, custom_generate=generate, draft=MODEL, k=3, max_new_tokens=12)
    assert found.tolist() == [[*PROMPT, *FREE[:7]]]


def test_a_dictionary_holds_the_cache() -> None:
    """That of all but the last token, from which plain decoding goes on as it would have."""
    ask: Any = {"max_new_tokens": 7, "return_dict_in_generate": True}
    due = MODEL.generate(IDS, **ask)
    for draft, k in RUNS:
        found = MODEL.generate(IDS, custom_generate=generate, draft=DRAFTS[draft], k=k, **ask)
        assert type(found) is type(due)
        assert found.keys() == due.keys()
        assert found.sequences.equal(due.sequences)
        name = keyword()
        assert found[name].get_seq_length() == due[name].get_seq_length() == len(PROMPT) + 6
        further = MODEL.generate(found.sequences, max_new_tokens=5, **{name: found[name]})
        assert further[0].tolist() == [*PROMPT, *FREE]


SAMPLING: Any = {"do_sample": True, "temperature": 0.8, "top_k": 2, "repetition_penalty": 1.3}


def law_of_plain(model: Any, length: int) -> dict[tuple[int, ...], float]:
    """Penalty, temperature, the two likeliest, written out."""

    def step(decided: tuple[int, ...]) -> torch.Tensor:
        ids = [0, 1, *decided]
        row = full_logits(model, ids)[-1]
        for token in set(ids):
            row[token] = row[token] * 1.3 if row[token] < 0 else row[token] / 1.3
        row = row / 0.8
        row[row < row.sort().values[-2]] = -torch.inf
        return row.softmax(-1)

    return joint_law(step, length)


@cache
def small_pair() -> tuple[Any, Any]:
    """Three tokens, in float64."""
    return tuple(
        tiny_llama(seed, vocabulary=3, layers=1, hidden=16, sharpness=2.0, dtype=torch.float64) for seed in (2, 3)
    )


def test_the_sampled_law_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome counted through `generate`, to 1e-9."""
    target, draft = small_pair()

    def run(source: RandomSource) -> tuple[int, ...]:
        monkeypatch.setattr(custom_generate, "TorchSource", lambda _: source)
        ids = torch.tensor([[0, 1]])
        found = target.generate(ids, custom_generate=generate, draft=draft, k=2, max_new_tokens=3, **SAMPLING)
        return tuple(found[0, 2:].tolist())

    counted, due = walk(run), law_of_plain(target, 3)
    assert set(counted) == set(due)
    assert len(due) == 2**3
    assert max(abs(counted[each] - due[each]) for each in due) < 1e-9


def test_torch_s_seed_decides_the_tokens() -> None:
    """The same seed repeats, the generator moves on, and its draws fit the law of plain decoding."""
    target, draft = small_pair()
    ids = torch.tensor([[0, 1]])

    def drawn() -> tuple[int, ...]:
        found = target.generate(ids, custom_generate=generate, draft=draft, k=2, max_new_tokens=2, **SAMPLING)
        return tuple(found[0, 2:].tolist())

    with torch.random.fork_rng():
        torch.manual_seed(5)
        first = [drawn() for _ in range(150)]
        torch.manual_seed(5)
        assert [drawn() for _ in range(20)] == first[:20]
        assert len(set(first[:20])) > 1
    due = law_of_plain(target, 2)
    assert set(first) <= set(due)
    fit = chi_square([first.count(each) for each in due], list(due.values()))
    assert fit.verdict(1e-3) == "passed"  # a right sampler fails for one seed in a thousand; this one is fixed


def test_greedy_decoding_leaves_torch_s_generator_alone() -> None:
    """As plain greedy decoding does."""
    before = torch.get_rng_state()
    MODEL.generate(IDS, custom_generate=generate, draft=DRAFTS["disturbed"], max_new_tokens=5)
    assert torch.get_rng_state().equal(before)


def test_padded_vocabularies() -> None:
    """A draft with more rows is refused until the number of real ids is given."""
    larger = tiny_llama(36, vocabulary=64, layers=1, hidden=16)
    with pytest.raises(InputError, match=r"the target has 48 token ids and the draft 64.*give vocabulary="):
        MODEL.generate(IDS, custom_generate=generate, draft=larger, max_new_tokens=4)
    found = MODEL.generate(IDS, custom_generate=generate, draft=larger, vocabulary=V, max_new_tokens=12)
    assert found[0].tolist() == [*PROMPT, *FREE]


def static() -> Any:
    return HF.StaticCache(config=MODEL.config, max_cache_len=16)


def filled() -> Any:
    held = HF.DynamicCache(config=MODEL.config)
    MODEL(IDS[:, :2], use_cache=True, **{keyword(): held})
    return held


def keyword() -> str:
    """Under which name this version of transformers takes a cache."""
    return next(
        each for each in CACHE_KEYWORDS if each in HF.generation.utils.GenerateDecoderOnlyOutput.__annotations__
    )


REFUSED: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "beams": (lambda: {"num_beams": 2}, "beam search"),
    "beams, sampled": (lambda: {"num_beams": 2, "do_sample": True}, "beam sample"),
    "contrastive": (lambda: {"penalty_alpha": 0.5, "top_k": 4}, "contrastive search"),
    "DoLa": (lambda: {"dola_layers": "low"}, "dola generation"),
    "prompt lookup": (lambda: {"prompt_lookup_num_tokens": 3}, "assisted generation"),
    "several outputs": (lambda: {"num_return_sequences": 2, "do_sample": True}, "num_return_sequences=2"),
    "a batch": (lambda: {"inputs": torch.tensor([PROMPT, PROMPT])}, "a batch of 2 prompts"),
    "embeddings": (
        lambda: {"inputs": None, "inputs_embeds": MODEL.get_input_embeddings()(IDS)},
        "inputs_embeds: give input_ids alone",
    ),
    "padding": (lambda: {"attention_mask": torch.tensor([[0, 1, 1]])}, "an attention_mask with zeros"),
    "positions": (lambda: {"position_ids": torch.tensor([[3, 4, 5]])}, "position_ids of its own"),
    "scores": (lambda: {"output_scores": True, "return_dict_in_generate": True}, "output_scores"),
    "logits": (lambda: {"output_logits": True, "return_dict_in_generate": True}, "output_logits"),
    "attentions": (lambda: {"output_attentions": True, "return_dict_in_generate": True}, "output_attentions"),
    "states": (lambda: {"output_hidden_states": True, "return_dict_in_generate": True}, "output_hidden_states"),
    "a static cache": (lambda: {"cache_implementation": "static"}, "a cache of kind 'static'"),
    "an offloaded cache": (lambda: {"cache_implementation": "offloaded"}, "a cache of kind 'offloaded'"),
    "a given static cache": (lambda: {keyword(): static()}, "a StaticCache that was made before"),
    "a filled cache": (lambda: {keyword(): filled()}, "a DynamicCache that was made before"),
    "an empty cache": (lambda: {keyword(): HF.DynamicCache()}, "a DynamicCache that was made before"),
    "guidance": (
        lambda: {"guidance_scale": 1.5},
        "UnbatchedClassifierFreeGuidanceLogitsProcessor keeps a model's",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore::UserWarning")  # some of what generate itself thinks of it
def test_what_cannot_be_honoured_is_refused(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line that names it, before a token is decided."""
    make, named = REFUSED[case]
    options = {"inputs": IDS, "max_new_tokens": 4} | make()
    monkeypatch.setattr(custom_generate, "speculative", lambda *_, **__: pytest.fail("decoding began"))
    with pytest.raises(InputError, match=named) as raised:
        MODEL.generate(custom_generate=generate, draft=MODEL, **options)
    assert "\n" not in str(raised.value)


def test_a_prompt_elsewhere_is_refused() -> None:
    """The processors would be on its device, and the rows on the model's."""
    with pytest.raises(
        InputError, match=r"a prompt on meta with a model on cpu: move it with \.to\(model\.device\)"
    ):
        require_usable(IDS.to("meta"), MODEL.device, HF.GenerationConfig(), {})


def test_an_encoder_decoder_is_refused() -> None:
    """By the model's name."""
    config = HF.T5Config(
        vocab_size=V, d_model=16, d_ff=16, num_layers=1, num_heads=2, d_kv=8, decoder_start_token_id=0
    )
    model = HF.T5ForConditionalGeneration(config).eval()
    with pytest.raises(InputError, match="T5ForConditionalGeneration is an encoder-decoder"):
        model.generate(IDS, custom_generate=generate, draft=MODEL, max_new_tokens=4)


def test_what_generate_keeps_to_itself() -> None:
    """An assistant is dropped, a streamer sees the prompt alone, stop strings find no tokenizer: as documented."""

    class Streamer:
        def __init__(self) -> None:
            self.seen: list[list[list[int]]] = []

        def put(self, value: torch.Tensor) -> None:
            self.seen.append(value.tolist())

        def end(self) -> None:
            self.seen.append([])

    ask: Any = {"custom_generate": generate, "draft": MODEL, "max_new_tokens": 12}
    streamer = Streamer()
    found = MODEL.generate(IDS, assistant_model=DRAFTS["stranger"], streamer=streamer, **ask)
    assert found[0].tolist() == [*PROMPT, *FREE]
    assert streamer.seen == [[PROMPT]]
    with pytest.raises(TypeError, match="draft"):
        MODEL.generate(IDS, assistant_model=MODEL, custom_generate=generate, max_new_tokens=4)
    tokenizer = small_tokenizer()
    with pytest.raises(ValueError, match="could not locate a tokenizer"):
        MODEL.generate(IDS, stop_strings=["!"], tokenizer=tokenizer, **ask)
    string = tokenizer.decode([FREE[4]])
    criterion = HF.StopStringCriteria(tokenizer, [string])
    due = MODEL.generate(IDS, stop_strings=[string], tokenizer=tokenizer, max_new_tokens=12)
    assert len(due[0]) < len(PROMPT) + 12
    assert MODEL.generate(IDS, stopping_criteria=[criterion], **ask).equal(due)
