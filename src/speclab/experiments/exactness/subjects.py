"""What is walked: rules, proposers and caches that are right, and such that are wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.rules import accept_own_draw, accept_sample
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.experiments.exactness import wrong
from speclab.experiments.exactness.cases import CACHES, CUTS, DRAFTS, FEW, TABLES, TRANSFORMERS, WRONG
from speclab.experiments.rules import draft_kept, fresh_draw

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.decoding.protocols import Model, Proposer
    from speclab.decoding.rules import SampleRule
    from speclab.experiments.exactness.cases import Case, Miscut

    Make: TypeAlias = Callable[[Model, Sampling], Proposer]

Part: TypeAlias = Literal["rule", "proposer", "target cache", "draft cache"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to walk.

    Attributes:
        name: Short, as in the rows.
        says: What it is.
        part: Which part of the loop it stands in the place of.
        exact: Whether the law of the output has to be the target's.
        cases: In which configurations.
        rule: Which proposals stand.
        make: The proposer, from the draft and its sampling.
        miscut: The fault of the cache, where `part` is one.
    """

    name: str
    says: str
    part: Part
    exact: bool
    cases: tuple[Case, ...]
    rule: SampleRule = accept_sample
    make: Make = DraftModel
    miscut: Miscut | None = None


def _chosen(model: Model, _: Sampling) -> DraftModel:
    return DraftModel(model, GREEDY)


RIGHT = (
    Subject(
        "ratio",
        "accept with min(1, p/q), correct from the residual",
        "rule",
        True,
        TABLES + TRANSFORMERS + CUTS + DRAFTS,
    ),
    Subject(
        "own-draw", "the target's own draw, a proposal kept if equal", "rule", True, FEW, rule=accept_own_draw
    ),
    Subject("chosen-draft", "the draft's likeliest token, with a one-hot q", "proposer", True, FEW, make=_chosen),
    Subject(
        "chosen-own-draw",
        "the draft's likeliest token, kept if the target draws it",
        "proposer",
        True,
        FEW,
        rule=accept_own_draw,
        make=_chosen,
    ),
    Subject(
        "doubtful-kept",
        "the draft stops behind a doubtful token, which is checked",
        "proposer",
        True,
        FEW,
        make=wrong.StopsAfterDoubt,
    ),
)
MISTAKES = (
    Subject("fresh-draw", "after a rejection a fresh draw from p", "rule", False, WRONG, rule=fresh_draw),
    Subject("draft-kept", "the draft's token is kept whatever p says", "rule", False, WRONG, rule=draft_kept),
    Subject(
        "argmax-draft",
        "the draft's likeliest token, with its softmax in the ratio",
        "proposer",
        False,
        WRONG,
        make=wrong.ArgmaxDraft,
    ),
    Subject("roles-swapped", "p and q change places", "rule", False, WRONG, rule=wrong.roles_swapped),
    Subject(
        "softmax-residual", "the residual through a softmax", "rule", False, WRONG, rule=wrong.softmax_residual
    ),
    Subject(
        "row-off-by-one",
        "each proposal judged by the row after its own",
        "rule",
        False,
        WRONG,
        rule=wrong.row_off_by_one,
    ),
    Subject(
        "bonus-off-by-one",
        "the bonus token from the row before its own",
        "rule",
        False,
        WRONG,
        rule=wrong.bonus_off_by_one,
    ),
    Subject(
        "other-temperature",
        "drawn at temperature 0.5, with the law of temperature 1 in the ratio",
        "proposer",
        False,
        WRONG,
        make=lambda model, _: wrong.DrawnOtherwise(model, Sampling(temperature=0.5)),
    ),
    Subject(
        "law-before-top-k",
        "drawn after top-k 2, with the law from before it in the ratio",
        "proposer",
        False,
        WRONG,
        make=lambda model, _: wrong.DrawnOtherwise(model, Sampling(temperature=1.0, top_k=2)),
    ),
    Subject(
        "doubtful-dropped",
        "a proposal dropped because of its own low probability",
        "rule",
        False,
        WRONG,
        rule=wrong.doubtful_dropped,
    ),
    Subject(
        "later-tokens-decide",
        "a block dropped because of its last token",
        "rule",
        False,
        WRONG,
        rule=wrong.later_tokens_decide,
    ),
    Subject(
        "typical-acceptance",
        "a proposal stands where the target finds it likely enough",
        "rule",
        False,
        WRONG,
        rule=wrong.typical_acceptance,
    ),
)
CACHE_FAULTS = (
    Subject(
        "target-cache-long",
        "the target's cache keeps a stale position",
        "target cache",
        False,
        CACHES[:2],
        miscut="one too long",
    ),
    Subject(
        "target-cache-short",
        "the target's cache loses a position",
        "target cache",
        False,
        CACHES[:2],
        miscut="one too short",
    ),
    Subject(
        "draft-cache-long",
        "the draft's cache keeps a stale position",
        "draft cache",
        True,
        CACHES,
        miscut="one too long",
    ),
    Subject(
        "draft-cache-short",
        "the draft's cache loses a position",
        "draft cache",
        True,
        CACHES,
        miscut="one too short",
    ),
)
SUBJECTS: tuple[Subject, ...] = RIGHT + MISTAKES + CACHE_FAULTS
