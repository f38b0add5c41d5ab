"""The formula beside the measurement: with a block's own numbers, and with what one knows beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hand_rows import arm, block, cycle, run_of
from speclab.evidence.estimates import EmptySelectionError
from speclab.evidence.estimates.decomposition import (
    decomposed_speedup,
    decomposition_error,
    predicted_speedup,
    prediction_error,
    reference_k,
)
from speclab.theory import cost

if TYPE_CHECKING:
    from speclab.records.reader import Run

TIMED = cycle(0, {1: 100, 2: 110, 3: 120, 5: 130}, {1: 40})


def test_decomposition_is_exact_where_every_iteration_is_alike() -> None:
    """E = 3 at a cost of (4 + 12 + 1) / 10 steps, two iterations of 17 against six steps of 10."""
    row = arm("draft", 2, 34, (2, 2), draft_ns=4, verify_ns=12, accept_ns=1)
    run = run_of(block("prose-1", row, plain=(60, 60)))
    assert decomposed_speedup(run, k=2).value == pytest.approx(60 / 34)
    assert decomposition_error(run, k=2).value == pytest.approx(0.0)


def test_decomposition_counts_what_lies_between_iterations_as_overhead() -> None:
    """Six more nanoseconds than the parts, three an iteration."""
    row = arm("draft", 2, 40, (2, 2), draft_ns=4, verify_ns=12, accept_ns=1)
    run = run_of(block("prose-1", row, plain=(60, 60)))
    assert decomposed_speedup(run, k=2).value == pytest.approx(60 / 40)


def test_decomposition_error_is_what_dependence_leaves() -> None:
    """Accepted 2, 0: counted 2 tokens an iteration, by formula at alpha 2/3 it is 19/9; promised too much."""
    row = arm("draft", 2, 32, (2, 0), draft_ns=4, verify_ns=12)
    run = run_of(block("prose-1", row, plain=(40, 40)))
    assert decomposition_error(run, k=2).value == pytest.approx(19 / 9 / 2 - 1)


def test_decomposition_needs_a_complete_iteration() -> None:
    """A block whose only iteration was cut has no alpha of its own."""
    run = run_of(block("prose-1", arm("draft", 2, 32, (2,), cut=(0,))))
    with pytest.raises(EmptySelectionError, match=r"prose-1.*no iteration at k = 2 was complete"):
        decomposed_speedup(run, k=2)


def _two_kinds() -> Run:
    """Prose has two prompts with alpha 1/2 and 1; code has one, with alpha 2/3 (2 of 3)."""
    return run_of(
        TIMED,
        block("prose-1", arm("draft", 2, 50, (1, 0, 1)), plain=(100, 100)),
        block("prose-2", arm("draft", 2, 50, (2, 2)), plain=(100, 100)),
        block("code-1", arm("draft", 2, 50, (2, 0)), plain=(100, 100)),
    )


def _formula(rate: float) -> float:
    return cost.predicted_speedup(rate, 2, cost_ratio=0.4, verify_ratio=1.2)


def test_prediction_takes_alpha_from_the_other_prompts_of_the_kind() -> None:
    """For prose-1 that of prose-2, which is 1; for prose-2 that of prose-1, which is 2 of 5."""
    run = _two_kinds()
    assert predicted_speedup(run, k=2, prompt="prose-1").value == pytest.approx(_formula(1.0))
    assert predicted_speedup(run, k=2, prompt="prose-2").value == pytest.approx(_formula(2 / 5))


def test_prediction_for_the_only_prompt_of_a_kind_takes_all_other_kinds() -> None:
    """Prose together: 6 of 9."""
    run = _two_kinds()
    assert predicted_speedup(run, k=2, kind="code").value == pytest.approx(_formula(6 / 9))
    assert prediction_error(run, k=2, kind="code").value == pytest.approx(_formula(6 / 9) / 2 - 1)


def test_prediction_from_a_single_prompt_is_refused() -> None:
    """It would use the answer."""
    run = run_of(TIMED, block("prose-1", arm("draft", 2, 50, (2, 2))))
    with pytest.raises(EmptySelectionError, match="no prompt but prose-1"):
        predicted_speedup(run, k=2)


@pytest.mark.parametrize(("ks", "reference"), [((1, 2, 4, 8), 4), ((1, 2), 2), ((6, 8), 6)])
def test_reference_k_is_four_or_the_nearest_below(ks: tuple[int, ...], reference: int) -> None:
    """Alpha is a property of the text and the pair, so one k serves all."""
    assert reference_k(run_of(block("prose-1", *(arm("draft", k, 9, (0,)) for k in ks)))) == reference
