"""The tables of the measuring commands: every number is a named estimate, shown and written out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from speclab.cli.output import stdout
from speclab.cli.sheets import acceptance, speed, timing
from speclab.cli.sheets.sheet import Figure, figure
from speclab.evidence.estimates import Estimate, estimate
from speclab.records.reader import Run
from speclab.records.rows import SpeedCell
from synthetic import synthetic_run

if TYPE_CHECKING:
    from types import ModuleType

    from speclab.cli.sheets.sheet import Sheet

RUN = Run(*synthetic_run(prompts_per_kind=3))
KINDS = ["prose", "code", "repetitive", "json", "copying", "chat"]


def figures(sheets: tuple[Sheet, ...]) -> list[Figure]:
    return [cell for sheet in sheets for row in sheet.rows for cell in row if isinstance(cell, Figure)]


def named(title: str, sheets: tuple[Sheet, ...]) -> Sheet:
    return next(sheet for sheet in sheets if sheet.title.startswith(title))


@pytest.mark.parametrize("module", [timing, speed, acceptance])
def test_every_number_of_a_table_is_a_named_estimate_of_the_run(module: ModuleType) -> None:
    """What is shown can be asked for again by name and conditions; the document is JSON."""
    sheets: tuple[Sheet, ...] = module.sheets(RUN)
    for each in figures(sheets):
        assert each.found == estimate(each.name, RUN, each.where)
        assert each.found.value is not None
    document = json.loads(json.dumps([sheet.document for sheet in sheets], allow_nan=False))
    written = [cell for sheet in document for row in sheet["rows"] for cell in row if isinstance(cell, dict)]
    assert [cell["value"] for cell in written] == [each.found.value for each in figures(sheets)]
    assert all(
        {"estimate", "where", "value", "low", "high", "n", "unit", "reason"} <= cell.keys() for cell in written
    )
    for sheet in sheets:
        assert {len(row) for row in sheet.rows} == {len(sheet.columns)}


def test_timing_shows_every_length_c_beside_the_other_ratios_and_the_memory() -> None:
    """All seven lengths of both models; bytes, parameters and layers; weights, caches, peak."""
    passes, ratios, iterations, sizes = timing.sheets(RUN)
    assert [row[0] for row in passes.rows] == ["1", "2", "3", "5", "9", "17", "33"]
    assert [row[1].name for row in ratios.rows if isinstance(row[1], Figure)] == [
        "cost_ratio",
        "ratio_of_bytes",
        "ratio_of_parameters",
        "ratio_of_layers",
    ]
    assert {each.name for each in figures((sizes,))} == {"weight_bytes", "cache_bytes", "peak_bytes"}
    assert str(ratios.rows[3][1]) == "0.857"
    assert [row[0] for row in iterations.rows] == ["1", "2", "4", "8", "16", "32"]
    cost = estimate("cost_ratio", RUN, {}).number() + estimate("verify_ratio", RUN, {"n": 2}).number()
    steps, even = (cell for cell in iterations.rows[0] if isinstance(cell, Figure))
    assert steps.found.value == pytest.approx(cost)
    assert even.found.value == pytest.approx(cost - 1)
    assert str(sizes.rows[0][1]) == "3.55\N{NO-BREAK SPACE}GB"


def test_speed_shows_kinds_and_k_the_noise_and_both_formulas_apart() -> None:
    """A row a kind and one for all; decomposition and prediction are two tables."""
    sheets = speed.sheets(RUN)
    assert [row[0] for row in sheets[0].rows] == [*KINDS, "all kinds"]
    assert sheets[0].columns == ("kind", "k = 1", "k = 2", "k = 4")
    assert {each.name for each in figures((named("Decomposition", sheets),))} == {
        "speedup",
        "decomposed_speedup",
        "decomposition_error",
    }
    assert {each.name for each in figures((named("Prediction", sheets),))} == {
        "speedup",
        "predicted_speedup",
        "prediction_error",
    }
    assert "noise_floor" in {each.name for each in figures(sheets)}
    shares = figures((named("Share", sheets),))
    assert sum(each.found.value or 0 for each in shares[:3]) == pytest.approx(1.0)


def test_acceptance_shows_rates_with_what_they_rest_on() -> None:
    """Pooled, by kind, prompt and k; counted beside the formula; positions and histogram only up to k."""
    sheets = acceptance.sheets(RUN)
    assert len(named("Alpha by prompt", sheets).rows) == 18
    together = {each.name for each in figures((named("Tokens per iteration", sheets),))}
    assert together == {"iterations", "alpha", "accepted_share", "tokens_per_iteration", "tokens_by_formula"}
    positions = named("Rate by position", sheets)
    assert [[isinstance(cell, Figure) for cell in row[1:]] for row in positions.rows] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, True],
    ]
    bars = [row[1:] for row in named("Share of iterations", sheets).rows]
    for row in bars:
        values = [cell.found.value for cell in row if isinstance(cell, Figure)]
        assert sum(value for value in values if value is not None) == pytest.approx(1.0)
    assert "autocorrelation" in {each.name for each in figures(sheets)}


def test_disturbed_and_repeated_blocks_are_counted_in_the_title() -> None:
    """A reader sees at once how quiet the machine was."""
    cells = list(RUN.results.cells)
    at = next(index for index, cell in enumerate(cells) if isinstance(cell, SpeedCell))
    cells[at : at + 1] = [
        cells[at].model_copy(update={"disturbed": "plain against plain"}),
        cells[at].model_copy(update={"attempt": 1}),
    ]
    run = Run(RUN.record, RUN.results.model_copy(update={"cells": tuple(cells)}))
    assert any("of 19 blocks 1 disturbed, 1 repeated" in sheet.title for sheet in speed.sheets(run))


def test_blocks_too_short_for_a_drift_are_counted_in_the_title_where_there_are_any() -> None:
    """Nothing of it is said of a run whose blocks are long enough."""
    cells = tuple(
        cell.model_copy(update={"unjudged": "8 steps"}) if isinstance(cell, SpeedCell) else cell
        for cell in RUN.results.cells
    )
    run = Run(RUN.record, RUN.results.model_copy(update={"cells": cells}))
    assert any("0 repeated, 18 too short for a drift to show" in sheet.title for sheet in speed.sheets(run))
    assert not any("too short" in sheet.title for sheet in speed.sheets(RUN))


def test_what_a_run_does_not_hold_is_a_dash_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """Without timing there is no prediction; the table stands, and both forms say once why it is empty."""
    cells = tuple(cell for cell in RUN.results.cells if isinstance(cell, SpeedCell))
    run = Run(RUN.record, RUN.results.model_copy(update={"cells": cells}))
    prediction = named("Prediction", speed.sheets(run))
    empty = prediction.rows[0][3]
    assert isinstance(empty, Figure)
    assert str(empty) == "-"
    assert "did not measure timing" in empty.document["reason"]
    assert len(prediction.missing) == 1
    stdout.print(prediction.shown)
    assert "did not measure timing" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("low", "high", "form", "text"),
    [
        (None, None, ".2f", "1.23"),
        (1.105, 1.355, ".2f", "1.23 [1.10, 1.35]"),
        (-0.05, 2.0, ".0%", "123\N{NO-BREAK SPACE}% [\N{MINUS SIGN}5, 200]"),
    ],
)
def test_a_figure_is_rounded_once_with_its_interval(
    low: float | None, high: float | None, form: str, text: str
) -> None:
    """The unit stands once, behind the value."""
    found = Estimate(value=1.234, low=low, high=high, n=3, reason=None if low is not None else "one prompt")
    assert str(Figure("speedup", {}, found, form)) == text


def test_tables_hold_what_prompts_are_called_without_obeying_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A prompt's id that looks like markup is shown as it is."""
    record = RUN.record.model_copy(
        update={"prompts": tuple(each.model_copy(update={"kind": "[bold]x"}) for each in RUN.record.prompts)}
    )
    stdout.print(acceptance.alphas_by_prompt(Run(record, RUN.results), (1,)).shown)
    assert "[bold]x" in capsys.readouterr().out


def test_conditions_left_open_are_not_asked_for() -> None:
    """A figure over all kinds names no kind in its conditions."""
    assert figure(RUN, "speedup", ".2f", k=2, kind=None).where == {"k": 2}
    assert list(figure(RUN, "speedup", ".2f", k=2, kind="code").where) == ["k", "kind"]
