"""Which prompts take part where not all do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclab.experiments.protocol import EncodedPrompt


def first_of_each_kind(prompts: Iterable[EncodedPrompt], per_kind: int) -> list[EncodedPrompt]:
    """The first prompts of each kind, in the order of all prompts."""
    seen: dict[str, int] = {}
    chosen = []
    for prompt in prompts:
        seen[prompt.kind] = seen.get(prompt.kind, 0) + 1
        if seen[prompt.kind] <= per_kind:
            chosen.append(prompt)
    return chosen
