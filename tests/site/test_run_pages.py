"""The page of a run: what is said before its numbers, and its first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from hand_rows import arm, block
from small_site import NASTY, copy_site
from speclab.records.plan import SamplingPlan
from speclab.records.rows import DivergenceCell, SpeedCell
from speclab.site import tables
from speclab.site.building import begin
from speclab.site.pages import generated_pages, raw_files
from speclab.site.pages.run import run_page
from synthetic import synthetic_plan, synthetic_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

RUN = "looked-at"
REASON = "the machine slept"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real pages and register."""
    return copy_site(tmp_path_factory.mktemp("pages") / "site")


def words(html: str) -> str:
    """The text of a block, as a reader sees it."""
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


def keep(root: Path, *plains: tuple[int, int], disturbed: str | None = None) -> None:
    """Keep a run whose blocks have plain arms of these times."""
    record, results = synthetic_run(RUN)
    cells = tuple(
        block(f"prose-{number}", arm("draft", 1, 80, (1, 1)), plain=times, disturbed=disturbed)
        for number, times in enumerate(plains)
    )
    write_run(root / "research" / "runs" / RUN, record, results.model_copy(update={"cells": cells}))
    begin(root)


@pytest.mark.parametrize(
    ("plains", "said"),
    [
        (((1000, 1000), (1001, 1000), (1000, 1001)), ""),
        (((1000, 1100), (1100, 1000), (1000, 1001)), "reaches more than 2% from 1"),
        (((1015, 1000), (1015, 1000), (1015, 1000)), "begins more than 1% from 1"),
        (((1000, 1015), (1000, 1015), (1000, 1015)), "begins more than 1% from 1"),
    ],
)
def test_arms_that_ought_to_be_equal_are_spoken_of_at_the_top(
    root: Path, plains: tuple[tuple[int, int], ...], said: str
) -> None:
    """An interval of plain over plain that is wide, or that leaves out 1; nothing where it is neither."""
    keep(root, *plains)
    shown = words(tables.notice(RUN))
    assert said in shown if said else not shown
    page = run_page(RUN)
    assert page.index("tables.notice") < page.index("tables.origin")


def test_blocks_that_stayed_disturbed_are_counted_at_the_top(root: Path) -> None:
    """They count, and the reader is told."""
    keep(root, (1000, 1000), (1000, 1000), (1000, 1000), disturbed="a backup ran")
    assert "disturbed: 3." in words(tables.notice(RUN))


def test_a_discarded_run_says_why_before_its_numbers(tmp_path: Path) -> None:
    """Its page has the first rows of each experiment and both files, like any other."""
    root = _with_discarded(tmp_path)
    begin(root)
    notice = words(tables.notice(RUN))
    assert f"This run is discarded: {REASON}" in notice
    rows = BeautifulSoup(tables.first_rows(RUN), "html.parser")
    held = {cell.experiment for cell in synthetic_run(RUN)[1].cells}
    assert {str(each.find("code").get_text()) for each in rows.find_all("summary")} == held  # type: ignore[union-attr]
    assert {f"evidence/runs/{RUN}/run.json", f"evidence/runs/{RUN}/results.json"} <= set(raw_files())


@pytest.mark.parametrize("name", ["results.json", "run.json"])
@pytest.mark.parametrize("lost", [True, False])
def test_a_discarded_run_need_not_be_whole(tmp_path: Path, name: str, *, lost: bool) -> None:
    """The page says what is wrong, offers what is left, and the build goes on."""
    root = _with_discarded(tmp_path)
    file = root / "research" / "runs" / RUN / name
    if lost:
        file.unlink()
    else:
        file.write_text('{"format": <b>1</b>', encoding="utf-8")
    building = begin(root)
    page = generated_pages()[f"evidence/runs/{RUN}.md"]
    building.conclude()
    assert REASON in page
    assert f"research/runs/{RUN}/{name}" in words(page)
    assert str(tmp_path) not in page
    assert "exec=" not in page
    for each in ("run.json", "results.json"):
        assert (f"({RUN}/{each})" in page) == (not lost or each != name)


def test_first_rows_are_text_and_their_lists_are_cut(tmp_path: Path) -> None:
    """What a model wrote is shown as it wrote it; of a long list three entries, and how many more there are."""
    root = copy_site(tmp_path / "site")
    record, results = synthetic_run(RUN)
    cells = tuple(
        cell.model_copy(update={"prompt": NASTY}) if isinstance(cell, DivergenceCell) else cell
        for cell in results.cells
    )
    write_run(root / "research" / "runs" / RUN, record, results.model_copy(update={"cells": cells}))
    begin(root)
    html = tables.first_rows(RUN)
    assert "<script>" not in html
    assert "[=c]" not in html
    first = next(cell for cell in results.cells if cell.experiment == "timing")
    assert f"… {len(first.passes) - 3} more" in words(html)


def _with_discarded(tmp_path: Path) -> Path:
    root = copy_site(tmp_path / "site")
    write_run(root / "research" / "runs" / RUN, *synthetic_run(RUN))
    register = root / "research" / "register.toml"
    entry = f'\n[[discard]]\nrun = "{RUN}"\nreason = "{REASON}"\n'
    register.write_text(register.read_text(encoding="utf-8") + entry, encoding="utf-8")
    return root


def test_a_run_of_several_samplings_shows_each_of_them(root: Path) -> None:
    """Acceptance and speed of every one, and the disturbed blocks of all."""
    samplings = (SamplingPlan(), SamplingPlan(temperature=0.7))
    record, results = synthetic_run("quick-samplings", plan=synthetic_plan(samplings=samplings))
    cells = list(results.cells)
    for name in ("greedy", "t0.7"):
        place = next(
            n for n, cell in enumerate(cells) if isinstance(cell, SpeedCell) and cell.sampling.name == name
        )
        cells[place] = cells[place].model_copy(update={"disturbed": "steal"})
    write_run(root / "research/runs" / record.id, record, results.model_copy(update={"cells": tuple(cells)}))
    begin(root)
    assert "program judged them disturbed: 2." in tables.notice("quick-samplings")
    page = run_page("quick-samplings")
    assert 'tables.samplings("quick-samplings")' in page
    shown = BeautifulSoup(tables.samplings("quick-samplings"), "html.parser")
    names = [tag.get_text() for tag in shown.select("th[scope=row]")]
    assert {name.partition(",")[0] for name in names} == {"greedy", "t0.7"}
