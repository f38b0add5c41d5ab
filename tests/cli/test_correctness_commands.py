"""`speclab divergence`, `distribution` and `disagreement`: what they print, refuse, and fail on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from small_bench import SmallBench, small_repository
from speclab.cli import distribution, divergence
from speclab.cli.main import main
from speclab.cli.sheets.divergence import sheets
from speclab.errors import CheckError
from speclab.experiments.rules import RULES
from speclab.records.base import Reading
from speclab.records.reader import Run, read_run
from speclab.records.rows import Changed, DisagreementCell, DistributionCell, DivergenceCell, Float32Output
from speclab.theory.floor import detectable_total_variation
from synthetic import synthetic_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from speclab.records.rows import Cell


@pytest.fixture
def command(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """Run one command where a tiny plan lies, on a table pair; gives the exit code and both outputs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setattr("speclab.measure.machine.other_processes", tuple)
    monkeypatch.setattr("speclab.experiments.runner.RealBench", SmallBench)
    monkeypatch.chdir(small_repository(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return run


def measured(folder: Path) -> Run:
    (only,) = (folder / "runs").iterdir()
    return read_run(only)


def simulated(change: Callable[[DivergenceCell], DivergenceCell]) -> Run:
    """A simulated run with a first difference, whose cells of divergence are changed."""
    record, results = synthetic_run()
    cells: tuple[Cell, ...] = tuple(
        change(cell) if isinstance(cell, DivergenceCell) else cell for cell in results.cells
    )
    return Run(record, results.model_copy(update={"cells": cells}))


def judged(verdict: str) -> Callable[[DivergenceCell], DivergenceCell]:
    """Give every difference this verdict."""

    def change(cell: DivergenceCell) -> DivergenceCell:
        found = tuple(each.model_copy(update={"verdict": verdict}) for each in cell.differences)
        return cell.model_copy(update={"differences": found})

    return change


def test_divergence_generates_first_and_compares(
    command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """Alone it makes the blocks that it reads; equal outputs are counted by arm and kind."""
    code, out, _ = command("divergence", "--plan", "tiny")
    run = measured(tmp_path)
    assert code == 0
    assert run.record.experiments == ("speed", "divergence")
    assert out.startswith("Outputs against plain decoding's")
    assert "plain again" in out
    assert "First differences" not in out
    assert "Whole outputs in float32" in out
    assert sum(isinstance(cell, DivergenceCell) for cell in run.results.cells) == 2


@pytest.mark.parametrize("sampling", [("--temperature", "0.7"), ("--top-k", "3"), ("--top-p", "0.9")])
def test_divergence_refuses_sampling(
    command: Callable[..., tuple[int, str, str]], tmp_path: Path, sampling: tuple[str, str]
) -> None:
    """Sampled texts are not compared: one line names the command that tests sampling, nothing is measured.

    A cut alone is answered so too: with a temperature beside it, it would be refused again.
    """
    code, out, err = command("divergence", "--plan", "tiny", *sampling)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "`speclab distribution`" in err
    assert not (tmp_path / "runs").exists()


def test_distribution_shows_every_test_with_its_power(
    command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """One row a context, seed and rule: total variation, power, p-value and verdict."""
    code, out, _ = command("distribution", "--plan", "tiny")
    run = measured(tmp_path)
    assert code == 0
    assert run.record.experiments == ("distribution",)
    assert "2,000 draws a rule" in out
    cells = [cell for cell in run.results.cells if isinstance(cell, DistributionCell)]
    for cell in cells:
        for test in cell.tests:
            assert test.p_value.value is not None
            shown = f"{test.power:.3f}"
            assert any(
                cell.prompt in line
                and shown in line
                and f"{test.p_value.value:.3g}" in line
                and test.verdict in line
                for line in out.splitlines()
            )
            if test.rule != "ratio":
                assert f"{test.needed.value:,}" in out
        right = cell.tests[0]
        least = detectable_total_variation(
            draws=right.draws, degrees=right.degrees, false_alarm=cell.false_alarm, power=0.99
        )
        assert any(cell.prompt in line and f"{least:.4f}" in line for line in out.splitlines())
    assert "rejected by Holm" in out


def test_distribution_as_json(command: Callable[..., tuple[int, str, str]]) -> None:
    """One document; what all tests say together, and what none can see, are estimates with their names."""
    code, out, _ = command("distribution", "--plan", "tiny", "--json")
    tables: list[dict[str, Any]] = json.loads(out)["tables"]
    assert code == 0
    found: dict[str, list[float]] = {}
    for cell in (cell for sheet in tables for row in sheet["rows"] for cell in row if isinstance(cell, dict)):
        found.setdefault(cell["estimate"], []).append(cell["value"])
    assert found["family_rejections"] == [0, 4, 4]  # the right rule, then the wrong ones
    assert found["detectable_tv"][0] > 0.05  # two thousand draws see little
    assert found["draws_for_tilt"][0] > 1_000_000
    assert "floor" in tables[1]["columns"]


def test_distribution_fails_where_the_right_rule_is_wrong(
    command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are printed, then the command ends with 1 and says how many tests failed."""
    monkeypatch.setitem(RULES, "ratio", RULES["draft_kept"])
    code, out, err = command("distribution", "--plan", "tiny")
    assert code == 1
    assert "failed" in out
    assert "4 of 4 tests reject the right rule" in err.splitlines()[-1]


def test_disagreement_searches_the_prompts_and_shows_what_was_found(
    command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """Nothing is generated first; the context found is shown with its power and the draws that are needed."""
    code, out, _ = command("disagreement", "--plan", "tiny")
    run = measured(tmp_path)
    assert code == 0
    assert run.record.experiments == ("disagreement",)
    cells = [cell for cell in run.results.cells if isinstance(cell, DisagreementCell)]
    assert [cell.prompt for cell in cells] == ["prose-1", "code-1"]
    assert run.record.plan.disagreement is not None
    first = run.record.plan.disagreement.least_tokens - 1
    for cell in cells:
        assert cell.text_tokens == cell.prompt_tokens == len(cell.total_variations)
        (context,) = cell.contexts
        assert context.total_variation == max(cell.total_variations[first:])
        place = f"{context.position} of {cell.prompt_tokens}"
        for test in context.tests:
            assert any(place in line and f"{test.power:.3f}" in line for line in out.splitlines())
        assert all(f"{test.needed.value:,}" in out for test in context.tests[1:])
    assert "all kinds" in out


def test_disagreement_fails_where_the_right_rule_is_wrong(
    command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are printed, then the command ends with 1."""
    monkeypatch.setitem(RULES, "ratio", RULES["draft_kept"])
    code, out, err = command("disagreement", "--plan", "tiny")
    assert code == 1
    assert "failed" in out
    assert "2 of 2 tests where the models differ most reject the right rule" in err.splitlines()[-1]


@pytest.mark.parametrize("verdict", ["tie", "shape numerics"])
def test_what_is_explained_passes(verdict: str) -> None:
    """Two roundings of an undecided choice are no fault."""
    divergence.check(simulated(judged(verdict)))


@pytest.mark.parametrize("verdict", ["bug", "not repeatable"])
def test_what_nothing_excuses_fails(verdict: str) -> None:
    """The message names the prompt, k, the token and the verdict."""
    with pytest.raises(CheckError, match=f"chat-1 at k = 4, new token 10: {verdict}"):
        divergence.check(simulated(judged(verdict)))


def test_a_changed_output_fails() -> None:
    """One configuration must give one output."""
    moved = Changed(arm="draft", k=2, blocks=("speed.chat-1.r1.a0",))
    run = simulated(lambda cell: cell.model_copy(update={"changed": (moved,) if cell.prompt == "chat-1" else ()}))
    with pytest.raises(CheckError, match=r"chat-1: draft at k = 2 gave another output in speed\.chat-1\.r1\.a0"):
        divergence.check(run)


def test_a_bug_in_a_whole_float32_output_fails() -> None:
    """It counts as any other difference, and is shown."""

    def change(cell: DivergenceCell) -> DivergenceCell:
        if not cell.differences:
            return cell
        bug = cell.differences[0].model_copy(update={"verdict": "bug", "index": 7})
        whole = Float32Output(k=4, new_tokens=24, identical=False, difference=bug)
        return cell.model_copy(update={"float32_output": Reading[Float32Output](value=whole)})

    run = simulated(change)
    with pytest.raises(CheckError, match="in float32, new token 7: bug"):
        divergence.check(run)
    assert ("chat-1", "k = 4", "24", "differ at 7: bug") in sheets(run)[-1].rows


def test_a_first_difference_is_shown_with_every_way_of_computing() -> None:
    """Both texts are shown by their characters, so that neither acts on the terminal."""
    run = simulated(lambda cell: cell)
    shown = {sheet.title: sheet.rows for sheet in sheets(run)}
    [found] = shown["First differences"]
    assert found[:5] == ("chat-1", "k = 4", "10", "' <b>plain</b>'", "'```exec\\n[=id]'")
    assert found[-1] == "tie"
    assert {line[2] for line in shown["The two logits at each first difference"]} == {"bfloat16", "float32"}


def test_a_right_rule_within_the_family_rate_passes() -> None:
    """One small p-value among many is no failure: the rate is that of all tests together."""
    record, results = synthetic_run()

    def with_p(cell: Cell, value: float) -> Cell:
        if not isinstance(cell, DistributionCell) or cell.prompt != "prose-1":
            return cell
        first = cell.tests[0].model_copy(update={"p_value": Reading[float](value=value)})
        return cell.model_copy(update={"tests": (first, *cell.tests[1:])})

    def run(value: float) -> Run:
        cells = tuple(with_p(cell, value) for cell in results.cells)
        return Run(record, results.model_copy(update={"cells": cells}))

    distribution.check(run(0.0009))
    with pytest.raises(CheckError, match="1 of 6 tests reject the right rule"):
        distribution.check(run(0.0001))
