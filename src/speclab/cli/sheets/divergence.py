"""Tables of `speclab divergence`: which outputs equal plain's, and what each first difference is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import ALL, Sheet, figure, row
from speclab.evidence.estimates.divergence import divergence_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.records.reader import Run
    from speclab.records.rows import Difference, Way


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command; those that would be empty are left out."""
    every = (outputs(run), differences(run), ways(run), changed(run), float32_outputs(run))
    return tuple(each for each in every if each.rows)


def outputs(run: Run) -> Sheet:
    """How many outputs equal plain's, by arm, for each kind and all of them."""
    cells = divergence_cells(run)
    kinds: tuple[str | None, ...] = (*dict.fromkeys(cell.kind for cell in cells), None)
    arms = dict.fromkeys((each.arm, each.k) for each in cells[0].comparisons)
    rows = tuple(
        row(
            _arm(arm, k),
            kind or ALL,
            figure(run, "identical_runs", ".0f", arm=arm, k=k, kind=kind),
            figure(run, "differing_runs", ".0f", arm=arm, k=k, kind=kind),
        )
        for arm, k in arms
        for kind in kinds
    )
    return Sheet("Outputs against plain decoding's, token for token", ("arm", "kind", "equal", "different"), rows)


def differences(run: Run) -> Sheet:
    """Each first difference: where, between what, how far apart, and the verdict."""
    rows = tuple(
        row(
            prompt,
            _arm(each.arm, each.k),
            str(each.index),
            repr(each.plain_text),
            repr(each.arm_text),
            f"{each.gap:g}",
            f"{each.spacing:g}",
            f"{each.noise:g}",
            each.verdict,
        )
        for prompt, each in _every(run)
    )
    columns = ("prompt", "arm", "new token", "plain", "the arm", "gap", "spacing", "noise", "verdict")
    return Sheet("First differences", columns, rows)


def ways(run: Run) -> Sheet:
    """Both logits in every way of computing, in the dtype of the run and in float32."""
    rows = tuple(
        row(
            prompt,
            _arm(each.arm, each.k),
            dtype,
            way.name,
            f"{way.plain_logit:g}",
            f"{way.arm_logit:g}",
            way.favours,
        )
        for prompt, each in _every(run)
        for dtype, way in _ways(each, run.record.plan.pair.dtype)
    )
    columns = ("prompt", "arm", "dtype", "computed by", "plain's logit", "the arm's logit", "favours")
    return Sheet("The two logits at each first difference", columns, rows)


def changed(run: Run) -> Sheet:
    """Configurations that did not give one output in all blocks."""
    rows = tuple(
        row(cell.prompt, _arm(each.arm, each.k), ", ".join(each.blocks))
        for cell in divergence_cells(run)
        for each in cell.changed
    )
    return Sheet("Outputs that changed from round to round", ("prompt", "arm", "blocks"), rows)


def float32_outputs(run: Run) -> Sheet:
    """Whole outputs in float32, where the plan asks for them."""
    rows = tuple(
        row(
            cell.prompt,
            f"k = {whole.k}",
            str(whole.new_tokens),
            "equal"
            if whole.difference is None
            else f"differ at {whole.difference.index}: {whole.difference.verdict}",
        )
        for cell in divergence_cells(run)
        if (whole := cell.float32_output.value) is not None
    )
    return Sheet("Whole outputs in float32", ("prompt", "arm", "new tokens", "plain and arm"), rows)


def _every(run: Run) -> Iterator[tuple[str, Difference]]:
    return ((cell.prompt, each) for cell in divergence_cells(run) for each in cell.differences)


def _ways(difference: Difference, dtype: str) -> Iterator[tuple[str, Way]]:
    yield from ((dtype, way) for way in difference.ways)
    if dtype != "float32":
        yield from (("float32", way) for way in difference.float32)


def _arm(arm: str, k: int) -> str:
    return "plain again" if arm == "plain_again" else f"k = {k}"
