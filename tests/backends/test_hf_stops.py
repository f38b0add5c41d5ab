"""Stops that transformers makes, asked about each committed token in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models

from drafts import drafts, generated
from small_models import TOKENS, small_tokenizer
from speclab import plain_generate, speculative_generate
from speclab.backends.hf.stops import StopCriteria, StopStrings
from speclab.backends.table import TableModel
from speclab.errors import InputError
from tables import count, counting
from tiny import tiny_llama

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.decoding.generation import Generation

BLANK = "ĊĊ"
"""Two line ends in one piece, as a byte-level tokenizer writes it."""
PIECES = (*TOKENS, BLANK)
TOKENIZER = small_tokenizer(PIECES)
CPU = torch.device("cpu")
HF: Any = transformers


def spell(*pieces: str) -> list[int]:
    """Ids of pieces, cut as they are given."""
    return [PIECES.index(piece.replace("\n", "Ċ").replace(" ", "Ġ")) for piece in pieces]


def text(ids: Sequence[int]) -> str:
    decoded: str = TOKENIZER.decode(list(ids))
    return decoded


def speaking(ids: Sequence[int], *, wrong: bool = False) -> TableModel:
    """Says these tokens one after another, or each time another one; it has room for no more."""
    logits = np.zeros((len(ids), len(PIECES), len(PIECES)))
    for position, token in enumerate(ids[1:]):
        logits[position, :, (token + wrong) % len(PIECES)] = 5.0
    return TableModel(logits)


def spoken(
    prompt: list[int], answer: list[int], k: int, *, strings: str | list[str], wrong: bool, stop: Any = None
) -> Generation:
    ids = [*prompt, *answer]
    return speculative_generate(
        speaking(ids),
        speaking(ids, wrong=wrong),
        prompt,
        k=k,
        stop=stop,
        stop_strings=strings,
        tokenizer=TOKENIZER,
        max_new_tokens=len(answer),
    )


CASES: dict[str, tuple[list[str], list[str], list[str], int | None]] = {
    # prompt, answer, strings, tokens that are kept (None: all)
    "one piece": (["a"], ["b", "\n\n", "c", "d"], ["\n\n"], 2),
    "two pieces": (["a"], ["b", "\n", "\n", "c", "d"], ["\n\n"], 3),
    "the first token": (["a"], ["\n\n", "c"], ["\n\n"], 1),
    "the last token": (["a"], ["b", "c", "d", "e", "f", "\n\n"], ["\n\n"], 6),
    "many pieces": (["a"], ["b", "h", "e", "l", "l", "o", "c", "d"], ["hello"], 6),
    "with an overhang": (["a"], ["b", "hello", "c"], ["ell"], 2),
    "with overhangs at both ends": (["a"], ["he", "ll", "o", "c"], ["ello"], 3),
    "a character of two bytes": (["a"], ["b", "Ã", "©", "c"], ["é"], 3),
    "the first of several": (["a"], ["b", "c", "d", "e", "f"], ["ef", "c", "zz"], 2),
    "the second time only": (["a"], ["h", "e", "h", "e", "l", "l", "b"], ["hell"], 6),
    "across the prompt": (["a", "\n"], ["\n", "b", "c"], ["\n\n"], None),
    "within the prompt": (["\n\n"], ["b", "c"], ["\n\n"], None),
    "across the prompt and later": (["h", "e"], ["ll", "o", "hell", "o", "b"], ["hello"], 4),
    "never": (["a"], ["b", "\n", "c", "\n"], ["\n\n"], None),
}


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("wrong", [False, True], ids=["perfect", "useless"])
@pytest.mark.parametrize("case", CASES)
def test_the_token_that_completes_a_string_is_the_last(case: str, k: int, *, wrong: bool) -> None:
    """Inside a block or across two; what is read in the prompt does not count."""
    pieces, said, strings, kept = CASES[case]
    prompt, answer = spell(*pieces), spell(*said)
    result = spoken(prompt, answer, k, strings=strings, wrong=wrong)
    assert result.ids == tuple(answer[:kept])
    assert result.finish == ("length" if kept is None else "stop")
    assert sum(len(each.committed) for each in result.iterations) == len(result.ids)
    found = [any(string in text(answer[: end + 1]) for string in strings) for end in range(len(answer))]
    assert found.index(True) + 1 == kept if kept else not any(found)


def test_strings_and_tokens_both_end_an_output() -> None:
    """Whichever comes first; a single string need not be put in a list."""
    answer = spell("b", "c", "d", "e")
    for stop, strings, kept in (([spell("c")[0]], "de", 2), ([spell("e")[0]], "cd", 3), ([], "bc", 2)):
        assert spoken(spell("a"), answer, 3, strings=strings, wrong=False, stop=stop).ids == tuple(answer[:kept])


@pytest.mark.parametrize("k", [0, 1, 3, 6])
def test_real_models_stop_where_generate_does(k: int) -> None:
    """With the string of the sixth token of a model's own output."""
    model = tiny_llama(7, vocabulary=len(PIECES), layers=1, hidden=16)
    free = generated(model, [1, 2, 3], 12)
    string = text(free[5:6])
    assert string.isascii()
    due = generated(model, [1, 2, 3], 12, stop_strings=[string], tokenizer=TOKENIZER)
    assert 1 < len(due) < 12
    for draft in drafts(model).values():
        result = speculative_generate(
            model, draft, [1, 2, 3], k=k, stop_strings=string, tokenizer=TOKENIZER, max_new_tokens=12
        )
        assert result.ids == due


def test_what_cannot_be_looked_for_is_refused() -> None:
    """No tokenizer, an empty string, characters that no token has."""
    with pytest.raises(InputError, match="stop strings need the model's tokenizer: give tokenizer="):
        plain_generate(counting(), [1], stop_strings=["x"])
    with pytest.raises(InputError, match="a stop string is empty"):
        plain_generate(counting(), [1], stop_strings=["x", ""], tokenizer=TOKENIZER)
    backend = Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[]))
    backend.decoder = decoders.ByteLevel()
    poor = HF.PreTrainedTokenizerFast(tokenizer_object=backend)
    with pytest.raises(InputError, match=r"stop strings \['z'\] cannot be looked for with this tokenizer"):
        plain_generate(counting(), [1], stop_strings=["z"], tokenizer=poor)


class Third(HF.StoppingCriteria):  # type: ignore[misc] # a class that mypy does not see
    """Ends at the third time that it is asked, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        self.shown.append((input_ids.tolist(), scores, kwargs))
        return torch.tensor([len(self.shown) == 3])


@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("step", [1, 2], ids=["perfect", "useless"])
def test_criteria_are_asked_once_a_token(step: int, k: int) -> None:
    """In order, with what is out so far, and not about tokens behind the end; even one with a memory is right."""
    criterion = Third()
    result = count([7], k, 9, draft=counting(step=step), ending=StopCriteria([criterion], CPU))
    assert (result.ids, result.finish) == ((8, 9, 10), "stop")
    assert criterion.shown == [([[7, 8]], None, {}), ([[7, 8, 9]], None, {}), ([[7, 8, 9, 10]], None, {})]


def test_criteria_of_transformers() -> None:
    """The first that is met ends the output; the length that one of them has can be read."""
    criteria = HF.StoppingCriteriaList([HF.MaxLengthCriteria(6), HF.EosTokenCriteria([11, 30])])
    stop = StopCriteria(criteria, CPU)
    assert stop.max_length == 6
    assert count([7], 3, 9, ending=stop).ids == (8, 9, 10, 11)
    assert count([17], 3, 9, ending=stop).ids == (18, 19, 20, 21, 22)
    assert StopCriteria([HF.EosTokenCriteria(5)], CPU).max_length is None


def test_a_criterion_that_judges_by_scores_is_refused() -> None:
    """There are none."""
    with pytest.raises(InputError, match="ConfidenceCriteria judges by scores"):
        StopCriteria([HF.generation.stopping_criteria.ConfidenceCriteria(0.4)], CPU)


def test_the_prompt_would_fire_in_transformers() -> None:
    """What `StopStrings` is for: the criterion itself reads the prompt and the output as one."""
    ids = spell("a", "\n", "\n")
    criterion = HF.StopStringCriteria(TOKENIZER, ["\n\n"])
    assert bool(criterion(torch.tensor([ids]), None))
    assert not StopStrings(["\n\n"], TOKENIZER, 2)(ids)
    assert StopStrings(["\n\n"], TOKENIZER, 1)(ids)
