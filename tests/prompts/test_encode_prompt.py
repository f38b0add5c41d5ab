"""From prompts to tokens, with small tokenizers made here."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from speclab.errors import InputError
from speclab.prompts.encode import encode, ids_sha256
from speclab.prompts.prompt import Message, Prompt

if TYPE_CHECKING:
    from collections.abc import Callable

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

PLAIN = (
    "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}{% if add_generation_prompt %}go{% endif %}"
)
WITH_BOS = "{{ bos_token }} " + PLAIN
BEGIN, UNKNOWN = "<s>", "<unk>"
REFUSING = "{{ raise_exception('no system role') }}"


def tokenizer(*, adds_bos: bool, template: str | None) -> Any:
    """Words of a fixed list; a begin-of-text token is put first where asked for."""
    words = ["<s>", "<unk>", "user", "system", ":", "go", "hello", "there"]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: index for index, word in enumerate(words)}, unk_token=UNKNOWN)
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if adds_bos:
        inner.post_processor = tokenizers.processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 0)]
        )
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, bos_token=BEGIN, unk_token=UNKNOWN)
    made.chat_template = template
    return made


def raw(text: str) -> Prompt:
    """A prompt of raw text."""
    return Prompt("p", "prose", text, (), "CC0-1.0", "test")


def said(*messages: Message) -> Prompt:
    """A prompt of messages."""
    return Prompt("p", "chat", None, messages or (Message("user", "hello"),), "CC0-1.0", "test")


@pytest.mark.parametrize("adds_bos", [False, True])
@pytest.mark.parametrize(("template", "begins"), [(PLAIN, []), (WITH_BOS, [0])])
def test_messages_are_the_templates(adds_bos: bool, template: str, begins: list[int]) -> None:
    """Exactly what the template says: one begin-of-text token where it writes one, none where it does not."""
    made = tokenizer(adds_bos=adds_bos, template=template)
    ids = encode(said(), made)
    assert ids == (*begins, 2, 4, 6, 5)
    theirs = made.apply_chat_template(
        [{"role": "user", "content": "hello"}], tokenize=True, add_generation_prompt=True
    )
    assert list(ids) == list(theirs["input_ids"] if hasattr(theirs, "keys") else theirs)


def test_all_messages_in_order() -> None:
    """System and user messages both reach the template."""
    made = tokenizer(adds_bos=False, template=PLAIN)
    assert encode(said(Message("system", "there"), Message("user", "hello")), made) == (3, 4, 7, 2, 4, 6, 5)


@pytest.mark.parametrize(
    ("adds_bos", "text", "expected"),
    [
        (True, "hello there", (0, 6, 7)),
        (True, "<s> hello there", (0, 6, 7)),
        (False, "<s> hello there", (0, 6, 7)),
        (False, "hello there", (6, 7)),
        (True, "hello <s> <s>", (0, 6, 0, 0)),
    ],
)
def test_raw_text_is_the_tokenizers(adds_bos: bool, text: str, expected: tuple[int, ...]) -> None:
    """Special tokens as the tokenizer adds them, but never two begin-of-text tokens at the start."""
    assert encode(raw(text), tokenizer(adds_bos=adds_bos, template=None)) == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: encode(said(), tokenizer(adds_bos=True, template=None)), "no chat template"),
        (lambda: encode(said(), tokenizer(adds_bos=True, template=REFUSING)), r"refuses .*no system role"),
        (lambda: encode(raw("   "), tokenizer(adds_bos=False, template=None)), "gives no token"),
    ],
)
def test_what_cannot_be_fed(make: Callable[[], object], message: str) -> None:
    """A base model without a template, a template that refuses, and a text that leaves nothing."""
    with pytest.raises(InputError, match=message):
        make()


def test_digest_of_ids() -> None:
    """The digest is of the decimal numbers, so that anyone can recompute it; it tells [1, 23] from [12, 3]."""
    assert ids_sha256([1, 23]) == hashlib.sha256(b"1,23").hexdigest()
    assert ids_sha256((1, 23)) != ids_sha256((12, 3))
