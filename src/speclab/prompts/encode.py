"""From a prompt to the tokens that are fed."""

from __future__ import annotations

import hashlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

from speclab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclab.prompts.prompt import Prompt


def encode(prompt: Prompt, tokenizer: Any) -> tuple[int, ...]:
    """The tokens of a prompt.

    Messages give exactly what the tokenizer's `apply_chat_template` gives with `add_generation_prompt`: the
    template alone decides about a begin-of-text token. Raw text gives what the tokenizer gives for it, special
    tokens as it adds them; where the text already begins with the begin-of-text token, it is not put there twice.

    Args:
        prompt: Raw text or messages.
        tokenizer: A tokenizer of transformers.

    Raises:
        InputError: When there are messages and no chat template, the template refuses them, or nothing is left.
    """
    ids = _raw(prompt.text, tokenizer) if prompt.text is not None else _conversation(prompt, tokenizer)
    if not ids:
        msg = f"the prompt {prompt.id!r} gives no token with this tokenizer; decoding starts from at least one"
        raise InputError(msg)
    return ids


def ids_sha256(ids: Sequence[int]) -> str:
    """Digest of tokens: SHA-256 of the ids as decimal numbers joined by commas."""
    return hashlib.sha256(",".join(str(token) for token in ids).encode()).hexdigest()


def _raw(text: str, tokenizer: Any) -> tuple[int, ...]:
    ids = tuple(int(token) for token in tokenizer(text)["input_ids"])
    begin = getattr(tokenizer, "bos_token_id", None)
    return ids[1:] if begin is not None and ids[:2] == (begin, begin) else ids


def _conversation(prompt: Prompt, tokenizer: Any) -> tuple[int, ...]:
    if not getattr(tokenizer, "chat_template", None):
        msg = (
            f"the prompt {prompt.id!r} is made of messages and this tokenizer has no chat template; "
            "take an instruction-tuned model, or prompts of raw text"
        )
        raise InputError(msg)
    messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
    # Where there is a template, there is its engine; the project itself does not depend on it.
    refusal: type[Exception] = import_module("jinja2").TemplateError
    try:
        ids = tokenizer.apply_chat_template(messages, tokenize=True, add_generation_prompt=True, return_dict=False)
    except refusal as error:
        msg = f"the chat template refuses the prompt {prompt.id!r} ({error}); change its roles or leave it out"
        raise InputError(msg) from None
    return tuple(int(token) for token in ids)
