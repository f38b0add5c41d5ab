"""Exactness: the law of the shipped loop's output, every outcome counted, for what is right and what is wrong.

Seconds on one core, and no weights: the models are tables of a few words and tiny transformers made on the spot.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from speclab.experiments.exactness.law import output_law
from speclab.experiments.exactness.pairs import PROMPT, distances, law_after, models
from speclab.experiments.exactness.subjects import SUBJECTS
from speclab.experiments.protocol import CellJob
from speclab.records.base import Reading
from speclab.records.rows import Enumerated, ExactnessCell
from speclab.theory.enumerate import joint_law, law_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.decoding.sampling import Sampling
    from speclab.experiments.exactness.cases import Case
    from speclab.experiments.exactness.law import Walked
    from speclab.experiments.exactness.pairs import Models
    from speclab.experiments.exactness.remembered import State
    from speclab.experiments.exactness.subjects import Subject
    from speclab.experiments.protocol import Session

    Verdict: TypeAlias = Literal["exact", "wrong as it must be", "failed"]

TOLERANCE = 1e-9
"""By which a probability may differ from the exact one: float64 adds up thousands of products."""
LEAST_WRONG = 0.01
"""Total variation by which a mistake must show, or the configurations are too mild to find it."""
LEAST_CACHE_ERROR = 1e-6
"""By which a wrong key or value must differ from a right one: rounding in float64 stays far below."""


class Exactness:
    """The experiment."""

    name = "exactness"

    def cells(self, session: Session) -> Iterator[CellJob]:  # noqa: ARG002 - it asks nothing of the pair
        """One cell for each rule, proposer or cache."""
        for subject in SUBJECTS:
            yield CellJob(f"exactness.{subject.name}", partial(walk_subject, subject))


@dataclass(frozen=True, slots=True)
class _Found:
    """One configuration, and the error of the caches in it."""

    row: Enumerated
    cache_error: float | None


def walk_subject(subject: Subject) -> ExactnessCell:
    """Walk one subject in all its configurations."""
    started = time.perf_counter_ns()
    found = [_walk(subject, case) for case in subject.cases]
    rows = tuple(each.row for each in found)
    errors = [each.cache_error for each in found if each.cache_error is not None]
    return ExactnessCell(
        subject=subject.name,
        says=subject.says,
        part=subject.part,
        exact=subject.exact,
        configurations=rows,
        cache_error=Reading[float](value=max(errors)) if errors else Reading[float](reason="no keys and values"),
        verdict=verdict(subject, rows, max(errors, default=0.0)),
        nanoseconds=time.perf_counter_ns() - started,
    )


def verdict(subject: Subject, rows: tuple[Enumerated, ...], cache_error: float) -> Verdict:
    """What the configurations say together.

    A fault of the draft's cache leaves the law exact, since any draft does. It has to show elsewhere: in the keys
    and values, and in how many proposals stand.
    """
    if not subject.exact:
        wrong = all(each.total_variation >= LEAST_WRONG for each in rows)
        return "wrong as it must be" if wrong else "failed"
    exact = all(each.largest_error <= TOLERANCE for each in rows)
    if subject.part == "draft cache":
        moved = any(_moved(each) >= LEAST_WRONG for each in rows)
        return "exact" if exact and moved and cache_error >= LEAST_CACHE_ERROR else "failed"
    whole = all((each.acceptance.value or 0.0) > 1 - TOLERANCE for each in rows if each.draft == "perfect")
    return "exact" if exact and whole and cache_error < LEAST_CACHE_ERROR else "failed"


def _moved(row: Enumerated) -> float:
    """By how much a fault changed the acceptance."""
    both = row.acceptance.value, row.acceptance_without.value
    return 0.0 if None in both else abs((both[0] or 0.0) - (both[1] or 0.0))


def _walk(subject: Subject, case: Case) -> _Found:
    faults = {f"{subject.part.removesuffix(' cache')}_miscut": subject.miscut} if subject.miscut else {}
    pair = models(case.backend, case.vocabulary, case.draft, **faults)
    walked = _law(subject, case, pair)
    without = Reading[float](reason="the draft's cache has no fault")
    if subject.part == "draft cache":
        without = _acceptance(_law(subject, case, models(case.backend, case.vocabulary, case.draft)))
    due = joint_law(lambda decided: law_after(pair.exact, decided, case.target), case.tokens)
    errors = [abs(walked.law.get(each, 0.0) - due.get(each, 0.0)) for each in {**walked.law, **due}]
    row = Enumerated(
        backend=case.backend,
        vocabulary=case.vocabulary,
        k=case.k,
        tokens=case.tokens,
        draft=case.draft,
        target_sampling=label(case.target),
        draft_sampling=label(case.drafting),
        paths=walked.paths,
        outcomes=len(walked.law),
        total_variation=law_distance(walked.law, due),
        largest_error=max(errors),
        smallest_distance=min(distances(pair.exact, pair.guess, case.target, case.drafting, case.tokens)),
        acceptance=_acceptance(walked),
        acceptance_without=without,
    )
    return _Found(row, _cache_error(walked) if case.backend == "transformer" else None)


def _law(subject: Subject, case: Case, pair: Models) -> Walked:
    return output_law(
        pair.target,
        pair.draft,
        PROMPT,
        make=lambda model: subject.make(model, case.drafting),
        rule=subject.rule,
        sampling=case.target,
        k=case.k,
        tokens=case.tokens,
    )


def label(sampling: Sampling) -> str:
    """A sampling in words."""
    parts = [f"temperature {sampling.temperature:g}"]
    parts += [f"top-k {sampling.top_k}"] if sampling.top_k else []
    parts += [f"top-p {sampling.top_p:g}"] if sampling.top_p < 1 else []
    parts += [f"min-p {sampling.min_p:g}"] if sampling.min_p else []
    return ", ".join(parts)


def _acceptance(walked: Walked) -> Reading[float]:
    share = walked.acceptance
    return Reading[float](value=share) if share is not None else Reading[float](reason="no proposal was decided")


def _cache_error(walked: Walked) -> float:
    """The largest error of either model's keys and values after any iteration."""
    return max(_error_of(state) for _, *both in walked.states for state in both)


@cache
def _error_of(state: State) -> float:
    from speclab.backends.hf.contents import cache_error  # noqa: PLC0415 - torch

    held: Any = state.model
    return cache_error(held).largest
