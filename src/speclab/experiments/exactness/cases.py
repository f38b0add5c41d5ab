"""The configurations that are walked: which models, how many proposals and tokens, which samplings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from speclab.decoding.sampling import Sampling

if TYPE_CHECKING:
    from collections.abc import Iterable

Backend: TypeAlias = Literal["table", "transformer"]
Draft: TypeAlias = Literal["noisy", "perfect", "useless"]
Miscut: TypeAlias = Literal["one too long", "one too short"]

FULL = Sampling(temperature=1.0)
SAMPLINGS = (
    Sampling(temperature=0.7),
    Sampling(temperature=1.5),
    Sampling(temperature=1.0, top_k=2),
    Sampling(temperature=1.0, top_p=0.8),
    Sampling(temperature=1.0, min_p=0.3),
    Sampling(temperature=0.7, top_k=3, top_p=0.9),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One configuration.

    Attributes:
        backend: Tables with other laws at every position, or tiny transformers with real caches in float64.
        vocabulary: Number of token ids.
        k: Proposals in an iteration.
        tokens: New tokens whose joint law is computed. The budget cuts k, so k + 1 are the least that show it;
            what a cache holds after a block that stood whole shows in k + 3.
        draft: Disagrees everywhere, agrees everywhere, or likes best what the target likes least.
        target: Sampling of the target.
        drafting: Sampling of the draft.
    """

    backend: Backend
    vocabulary: int
    k: int
    tokens: int
    draft: Draft = "noisy"
    target: Sampling = FULL
    drafting: Sampling = FULL


def lengths(ks: Iterable[int], more: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Each k with k + 1 tokens, and some with k + 3."""
    return (*((k, k + 1) for k in ks), *((k, k + 3) for k in more))


TABLES = tuple(
    Case("table", vocabulary, k, tokens)
    for vocabulary in (2, 3, 4, 5)
    for k, tokens in lengths((1, 2, 3, 4), (1, 2, 3))
)
"""Every vocabulary and k."""
TRANSFORMERS = tuple(
    Case("transformer", vocabulary, k, tokens) for vocabulary in (2, 3) for k, tokens in lengths((1, 2, 3), (1, 2))
)
"""The same through real caches."""
CUTS = (
    *(Case("table", 4, 2, 3, target=each, drafting=each) for each in SAMPLINGS),
    *(Case("table", 4, 2, 3, target=each) for each in SAMPLINGS),
    *(Case("table", 4, 2, 3, drafting=each) for each in SAMPLINGS),
    *(Case("table", 3, 2, 5, target=each, drafting=each) for each in SAMPLINGS),
    Case("transformer", 3, 2, 4, target=SAMPLINGS[2], drafting=SAMPLINGS[2]),
    Case("transformer", 3, 2, 4, target=SAMPLINGS[0]),
)
"""Each sampling on both sides, on the target's alone and on the draft's alone."""
DRAFTS = tuple(
    Case(backend, 3, 2, 5, draft=draft) for backend in ("table", "transformer") for draft in ("perfect", "useless")
)
"""Drafts that are always right, or hardly ever."""
FEW = (
    Case("table", 3, 1, 4),
    Case("table", 3, 2, 3),
    Case("table", 3, 2, 5),
    Case("table", 4, 3, 4),
    Case("transformer", 3, 2, 3),
    Case("transformer", 3, 2, 5),
)
"""For what is right by another way."""
WRONG = (
    Case("table", 3, 2, 3),
    Case("table", 3, 2, 5),
    Case("table", 4, 3, 4),
    Case("transformer", 3, 2, 5),
)
"""For what is wrong: a block of one proposal hides some of the mistakes."""
CACHES = (
    Case("transformer", 3, 1, 4),
    Case("transformer", 3, 2, 5),
    Case("transformer", 3, 2, 5, draft="perfect"),
)
"""For faults of a cache."""
