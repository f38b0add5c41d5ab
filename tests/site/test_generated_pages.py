"""The pages that nobody writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from small_site import NASTY, RUN, copy_site, replace
from speclab.errors import CheckError
from speclab.site.building import begin
from speclab.site.pages import generated_pages, raw_files
from synthetic import synthetic_run, write_run

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_run_this_machine_says_how_to_make_one(tmp_path: Path) -> None:
    """The command, and nothing executed."""
    begin(copy_site(tmp_path / "site"))
    page = generated_pages()["this-machine.md"]
    assert "nox -s evidence" in page
    assert "exec=" not in page


def test_this_machine_shows_the_newest_run(tmp_path: Path) -> None:
    """By when it started, not by its name; its files are offered, and a folder that is no run is said so."""
    root = copy_site(tmp_path / "site")
    record, results = synthetic_run("z-older")
    write_run(root / "runs" / "z-older", record, results)
    newer, _ = synthetic_run("a-newer")
    newer = newer.model_copy(update={"started": newer.started.replace(year=2027)})
    write_run(root / "runs" / "a-newer", newer, results.model_copy(update={"run": "a-newer"}))
    write_run(root / "runs" / "broken", *synthetic_run("broken"))
    (root / "runs" / "broken" / "run.json").write_text("{", encoding="utf-8")
    begin(root)
    page = generated_pages()["this-machine.md"]
    assert 'print(tables.speedups("a-newer"))' in page
    assert "z-older" not in page
    assert "is not whole JSON" in page
    assert raw_files()["this-machine/results.json"] == root / "runs" / "a-newer" / "results.json"


def test_every_kept_run_has_a_page_and_a_discarded_one_its_reason(tmp_path: Path) -> None:
    """Discarded runs are linked from their list; a run whose rows are lost is still named there."""
    root = copy_site(tmp_path / "site")
    write_run(root / "research" / "runs" / "spoilt", *synthetic_run("spoilt"))
    register = root / "research" / "register.toml"
    entries = (
        '\n[[discard]]\nrun = "spoilt"\nreason = "<b>slept</b>"\n\n[[discard]]\nrun = "lost"\nreason = "no rows"\n'
    )
    register.write_text(register.read_text(encoding="utf-8") + entries, encoding="utf-8")
    begin(root)
    pages = generated_pages()
    assert {f"evidence/runs/{RUN}.md", "evidence/runs/spoilt.md"} <= set(pages)
    assert '<a href="/evidence/runs/spoilt.md">' in pages["evidence/discarded.md"]
    assert "/evidence/runs/lost.md" not in pages["evidence/discarded.md"]
    assert "<b>" not in pages["evidence/discarded.md"]


def test_nothing_that_a_run_made_stands_in_markdown(tmp_path: Path) -> None:
    """It is printed by blocks; the Markdown of a run's page holds its id alone."""
    root = copy_site(tmp_path / "site", nasty=True)
    record, results = synthetic_run("odd")
    record = record.model_copy(update={"command": NASTY, "reason": NASTY})
    write_run(root / "runs" / "odd", record, results)
    begin(root)
    for page in generated_pages().values():
        assert "alert(1)" not in page
        assert 'exec="1"\nprint(6*7)' not in page


def test_whatever_the_pages_ask_for_has_a_line_in_the_register(tmp_path: Path) -> None:
    """Claims, what others reported, what was given; and the reason where there is no number."""
    root = copy_site(tmp_path / "site")
    replace(root / "docs" / "index.md", "What was found", "What was found [=reported.speed.prose.k6] [=given.no]")
    begin(root)
    page = BeautifulSoup(generated_pages()["evidence/register.md"], "html.parser")
    for address in (
        "c",
        "elsewhere.break-even.k4",
        "reported.speed.prose.k6",
        "given.confidence",
        "plan.main.new_tokens",
    ):
        assert page.find(id=address) is not None
    assert page.find(id="given.no") is not None
    assert "there is no given.no" in page.get_text()


def test_a_register_that_cannot_be_read_is_a_fault_of_its_page(tmp_path: Path) -> None:
    """One line, named at the end of the build."""
    root = copy_site(tmp_path / "site")
    replace(root / "research" / "current.toml", 'main = "quick"', "main = quick")
    building = begin(root)
    assert "is not TOML" in generated_pages()["evidence/register.md"]
    with pytest.raises(CheckError, match=r"evidence/register\.md: .*current\.toml is not TOML"):
        building.conclude()


def test_the_register_leads_to_every_run_that_is_kept(tmp_path: Path) -> None:
    """Shown by a plan, cited by name, or shown no more; discarded ones have a list of their own."""
    root = copy_site(tmp_path / "site")
    write_run(root / "research" / "runs" / "left", *synthetic_run("left"))
    begin(root)
    page = BeautifulSoup(generated_pages()["evidence/register.md"], "html.parser")
    table = next(each for each in page.find_all("table") if "Runs that are kept" in each.get_text())
    rows = {str(row.find("code").get_text()): row.get_text() for row in table.select("tbody tr")}  # type: ignore[union-attr]
    assert set(rows) == {each.name for each in (root / "research" / "runs").iterdir()}
    assert "the chapter follows it" in rows[RUN]
    assert "no number of these pages comes from it" in rows["left"]
