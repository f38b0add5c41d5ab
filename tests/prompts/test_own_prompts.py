"""The project's own prompts: complete, of every kind, and fit to be continued."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from speclab.prompts.kinds import KINDS
from speclab.prompts.read import read_prompts

PROMPTS = read_prompts(Path(__file__).parents[2] / "research" / "prompts")


def test_four_of_each_kind() -> None:
    """Twenty-four prompts, named after their kind and numbered, in the order of the kinds."""
    assert Counter(prompt.kind for prompt in PROMPTS) == dict.fromkeys(KINDS, 4)
    assert [prompt.id for prompt in PROMPTS] == [f"{kind}.{number}" for kind in KINDS for number in range(1, 5)]


def test_all_are_ours_and_say_so() -> None:
    """Each names its licence and its source."""
    assert {prompt.licence for prompt in PROMPTS} == {"CC0-1.0"}
    assert {prompt.source for prompt in PROMPTS} == {"written for speclab"}


def test_only_chat_goes_through_the_template() -> None:
    """Chat is made of messages and ends with the user's; all else is raw text."""
    for prompt in PROMPTS:
        assert prompt.format == ("messages" if prompt.kind == "chat" else "raw")
        if prompt.messages:
            assert prompt.messages[-1].role == "user"


def test_raw_texts_stop_in_the_middle() -> None:
    """Of usable length, and cut inside a line: a space or a line end there would be tokenised apart."""
    for prompt in PROMPTS:
        if prompt.text is None:
            continue
        assert prompt.text == prompt.text.strip()
        assert prompt.text[-1] not in ".!?}])"
        assert 200 <= len(prompt.text) <= 650, (prompt.id, len(prompt.text))


def test_copying_repeats_what_stands_above() -> None:
    """What the last line of each copying prompt begins already occurs earlier in it."""
    for prompt in PROMPTS:
        if prompt.kind == "copying":
            assert prompt.text is not None
            start = prompt.text.rsplit("\n", 1)[1].removeprefix("> ").strip()
            assert prompt.text.count(start) == 2, prompt.id
