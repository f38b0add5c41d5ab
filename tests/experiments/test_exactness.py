"""The walks over all outcomes: what is right is exact, each mistake is found, and a verdict can fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from speclab.decoding.rules import accept_sample
from speclab.experiments.exactness.cases import CUTS, FEW, FULL, TABLES, TRANSFORMERS, Case
from speclab.experiments.exactness.experiment import Exactness, label, verdict, walk_subject
from speclab.experiments.exactness.pairs import LEAST_DISTANCE, distances, models
from speclab.experiments.exactness.subjects import CACHE_FAULTS, MISTAKES, RIGHT, SUBJECTS
from speclab.experiments.exactness.wrong import StopsAfterDoubt
from speclab.experiments.rules import fresh_draw
from speclab.records.base import Reading
from synthetic_walks import walked

if TYPE_CHECKING:
    from speclab.experiments.exactness.cases import Backend
    from speclab.experiments.exactness.subjects import Subject
    from speclab.records.rows import Enumerated

FAULTY = (*MISTAKES, *CACHE_FAULTS)


def named(name: str) -> Subject:
    return next(each for each in SUBJECTS if each.name == name)


@pytest.mark.parametrize("subject", RIGHT, ids=lambda each: each.name)
def test_what_is_right_is_exact(subject: Subject) -> None:
    """The smaller configurations of each; `speclab exactness` and every run walk them all."""
    small = [each for each in subject.cases if each.vocabulary**each.tokens < 100]
    cell = walk_subject(replace(subject, cases=tuple(small)))
    assert cell.verdict == "exact"
    assert max(each.largest_error for each in cell.configurations) < 1e-9
    assert {each.backend for each in cell.configurations} == {"table", "transformer"}


@pytest.mark.parametrize("subject", FAULTY, ids=lambda each: each.name)
def test_what_is_wrong_is_found(subject: Subject) -> None:
    """Each mistake in each of its configurations; faults of the draft's cache by keys and acceptance alone."""
    cell = walk_subject(subject)
    assert cell.verdict == ("exact" if subject.part == "draft cache" else "wrong as it must be")


def test_a_fresh_draw_is_wrong_by_what_arithmetic_says() -> None:
    """After a rejection, which has the total variation as its chance, p comes again: by hand for two words."""
    (row,) = walk_subject(replace(named("fresh-draw"), cases=(Case("table", 2, 1, 2),))).configurations
    pair = models("table", 2, "noisy")
    p, q = (model.law(model.fork().feed((0, 1))[-1], FULL) for model in (pair.exact, pair.guess))
    shared = np.minimum(p, q)
    first = shared + (1 - shared.sum()) * p
    assert row.total_variation == pytest.approx(abs(first - p).sum() / 2)


def test_the_grid_is_whole() -> None:
    """Vocabularies of 2 to 5, k of 1 to 4 with k + 1 tokens, of 1 to 3 with k + 3, every sampling on one side."""
    grid = {(each.vocabulary, each.k, each.tokens) for each in TABLES}
    assert grid == {
        (vocabulary, k, k + more)
        for vocabulary in range(2, 6)
        for k in range(1, 5)
        for more in (1, 3)
        if (k, more) != (4, 3)
    }
    assert {each.vocabulary for each in TRANSFORMERS} == {2, 3}
    sides = {(label(each.target), label(each.drafting)) for each in CUTS}
    for cut in (
        "temperature 0.7",
        "temperature 1, top-k 2",
        "temperature 1, top-p 0.8",
        "temperature 1, min-p 0.3",
        "temperature 0.7, top-k 3, top-p 0.9",
    ):
        assert {(cut, cut), (cut, "temperature 1"), ("temperature 1", cut)} <= sides
    assert len(MISTAKES) >= 8


@pytest.mark.parametrize("case", [*TABLES[:4], *TRANSFORMERS[-2:], CUTS[0], CUTS[2]], ids=str)
def test_noisy_drafts_disagree_everywhere(case: Case) -> None:
    """At every position that can be reached the two laws are far apart."""
    (row,) = walk_subject(replace(named("draft-kept"), cases=(case,))).configurations
    assert row.smallest_distance >= LEAST_DISTANCE


@pytest.mark.parametrize("vocabulary", [2, 3])
@pytest.mark.parametrize("backend", ["table", "transformer"])
def test_noisy_drafts_disagree_under_every_sampling(backend: Backend, vocabulary: int) -> None:
    """Cut to two tokens, say, two laws come closer: far apart at temperature 1 is not yet far apart everywhere."""
    pair = models(backend, vocabulary, "noisy")
    sides = {(FULL, FULL), *((case.target, case.drafting) for case in CUTS)}
    assert len(sides) == 1 + 3 * 6
    for target, drafting in sides:
        assert min(distances(pair.exact, pair.guess, target, drafting, 5)) >= LEAST_DISTANCE


def test_perfect_and_useless_drafts() -> None:
    """All stand, or hardly any; the law is the same."""
    cases = tuple(Case("table", 3, 2, 5, draft=draft) for draft in ("perfect", "useless"))
    perfect, useless = walk_subject(replace(named("ratio"), cases=cases)).configurations
    assert perfect.acceptance.value == pytest.approx(1, abs=1e-12)
    assert (useless.acceptance.value or 1) < 0.3


def test_a_right_way_that_is_wrong_fails() -> None:
    """The verdict hangs on the law, not on the name."""
    assert walk_subject(replace(named("ratio"), cases=FEW[:1], rule=fresh_draw)).verdict == "failed"
    assert walk_subject(replace(named("own-draw"), cases=FEW[3:4], rule=fresh_draw)).verdict == "failed"


def test_a_mistake_that_is_none_fails() -> None:
    """A mistake that cannot be told from the right rule would prove nothing."""
    assert walk_subject(replace(named("fresh-draw"), rule=accept_sample)).verdict == "failed"
    assert walk_subject(replace(named("argmax-draft"), make=StopsAfterDoubt)).verdict == "failed"


def test_a_cache_fault_that_is_none_fails() -> None:
    """Nothing in the keys, or nothing in the acceptance: not found."""
    assert walk_subject(replace(named("draft-cache-short"), miscut=None)).verdict == "failed"
    assert walk_subject(replace(named("target-cache-long"), miscut=None)).verdict == "failed"
    subject = named("draft-cache-long")
    moved = walked(acceptance=Reading[float](value=0.4), acceptance_without=Reading[float](value=0.5))
    assert verdict(subject, (moved,), 1.0) == "exact"
    assert verdict(subject, (moved,), 0.0) == "failed"
    assert verdict(subject, (walked(),), 1.0) == "failed"
    assert verdict(subject, (moved.model_copy(update={"largest_error": 1e-6}),), 1.0) == "failed"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((walked(),), "exact"),
        ((walked(), walked(largest_error=2e-9)), "failed"),
        ((walked(draft="perfect"),), "failed"),
        ((walked(draft="perfect", acceptance=Reading[float](value=1.0)),), "exact"),
    ],
)
def test_verdict_of_what_is_right(rows: tuple[Enumerated, ...], expected: str) -> None:
    """One configuration that is off is enough, and so is a perfect draft of which a proposal falls."""
    assert verdict(named("ratio"), rows, 0.0) == expected


def test_one_mild_configuration_fails_a_mistake() -> None:
    """Each has to show in every configuration."""
    off, mild = walked(total_variation=0.2), walked(total_variation=0.009)
    assert verdict(named("fresh-draw"), (off, off), 0.0) == "wrong as it must be"
    assert verdict(named("fresh-draw"), (off, mild), 0.0) == "failed"


def test_jobs_are_named_as_their_cells() -> None:
    """One job a subject, each name once."""
    session: object = None
    keys = [job.key for job in Exactness().cells(session)]  # type: ignore[arg-type]
    assert keys == [f"exactness.{each.name}" for each in SUBJECTS]
    assert len(set(keys)) == len(keys)
