"""Numbers in prose: bound to the register, wherever in Markdown they stand; a fault has its page and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown

from small_site import PLAN, RUN, copy_site, lean
from speclab.errors import CheckError, InputError
from speclab.site.blocks import block
from speclab.site.bound import bound
from speclab.site.building import begin
from speclab.site.html import Html, table
from speclab.site.numbers import number

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclab.site.building import Building


@pytest.fixture
def building(tmp_path: Path) -> Building:
    return begin(copy_site(tmp_path / "site"))


def built(text: str) -> BeautifulSoup:
    extensions = ["tables", "attr_list", "toc", "pymdownx.superfences", "speclab.site.numbers"]
    return BeautifulSoup(Markdown(extensions=extensions).convert(text), "html.parser")


@pytest.mark.parametrize(
    "text",
    [
        "is [=c] here",
        "**[=c]**",
        "| a |\n|---|\n| [=c] |",
        "## Costs [=c] {#costs}",
        "> [=c]",
        "- [=c]",
        "[=c], [=c]",
    ],
)
def test_a_number_wherever_it_stands(building: Building, text: str) -> None:
    """In prose, emphasis, tables, headings, quotes and lists."""
    soup = built(text)
    tag = soup.find("a", attrs={"data-claim": "c"})
    assert tag is not None
    assert (tag["href"], tag["class"]) == ("/evidence/register.md#c", ["measured"])
    assert tag.get_text() == building.register.show("c")
    assert "[=" not in soup.get_text()


@pytest.mark.parametrize("text", ["`[=c]`", "```\n[=c]\n```", "    [=c]"])
def test_code_is_left_alone(building: Building, text: str) -> None:
    """What is written as code stays as it is."""
    del building
    soup = built(text)
    assert soup.find("a") is None
    assert "[=c]" in soup.get_text()


def test_parts_and_other_classes(building: Building) -> None:
    """Ends of an interval, what it counts, what others reported, what was given, what the plan laid down."""
    value = building.register.value("speed.k2")
    assert bound("speed.k2.low")[1] == value.show("low")
    assert bound("speed.k2.n") == (bound("speed.k2.n")[0], str(len(PLAN.prompts)))
    assert bound("reported.speed.prose.k6")[0]["class"] == "reported"
    assert bound("given.confidence")[0]["class"] == "given"
    assert bound("plan.main.new_tokens")[1] == "32"
    assert bound("elsewhere.break-even.k4")[0]["class"] == "computed"


CLASSES = {
    "c": "measured",
    "speed.k2.low": "measured",
    "speed.k2.high": "measured",
    "speed.k2.n": "measured",
    "elsewhere.break-even.k4": "computed",
    "reported.speed.prose.k6": "reported",
    "plan.main.new_tokens": "given",
    "given.confidence": "given",
}


def in_caption(address: str) -> str:
    return table(Html(f"At {number(address)}"), ("k",), "l", [("1",)])


def in_printed_block(address: str) -> str:
    @block
    def printed(run_id: str | None = None) -> str:
        del run_id
        return f"<p>{number(address)}</p>"

    return printed()


@pytest.mark.parametrize(
    "write",
    [
        "It is [={}] here.".format,
        "| a |\n|---|\n| [={}] |".format,
        "## Costs [={}] {{#costs}}".format,
        in_caption,
        in_printed_block,
    ],
    ids=["prose", "table", "heading", "caption", "printed block"],
)
def test_every_class_in_every_place(building: Building, write: Callable[[str], str]) -> None:
    """The text of the register, the class for the eye and in the tooltip, and one link to the register's line."""
    for address, value_class in CLASSES.items():
        (tag,) = built(write(address)).select("a[data-claim]")
        value, part = building.register.cite(address)
        assert tag.get_text() == value.show(part)
        assert tag["class"] == [value_class]
        assert f"; {value_class}; " in str(tag["title"])
        assert tag["href"] == f"/evidence/register.md#{value.address}"


def test_each_class_looks_different(building: Building) -> None:
    """The line below a number tells the four classes apart, by its shape and not by its colour."""
    css = (building.root / "docs" / "assets" / "lab.css").read_text(encoding="utf-8")
    shapes = [re.search(rf"a\.{each} {{ text-decoration-style: (\w+)", css) for each in set(CLASSES.values())]
    assert len({found[1] for found in shapes if found}) == 4


def test_a_caption_with_a_number_is_read_aloud_as_text(building: Building) -> None:
    """The label of the table holds the number and no tags."""
    (frame,) = BeautifulSoup(in_caption("c"), "html.parser").select("[aria-label]")
    assert frame["aria-label"] == f"At {building.register.show('c')}"


def test_the_tooltip_says_how_sure_and_where_from(building: Building) -> None:
    """Interval, count, class and run; without an interval, the reason."""
    value = building.register.value("speed.k2")
    title = bound("speed.k2")[0]["title"]
    for expected in (value.says, str(value.interval()), f"n = {len(PLAN.prompts)} prompts", "measured", RUN):
        assert expected in title
    assert "interval needs at least" in bound("speed.prose.k2")[0]["title"]


def test_a_number_for_captions_is_the_same_link(building: Building) -> None:
    """What a function prints is what Markdown makes."""
    del building
    assert BeautifulSoup(number("c"), "html.parser").a == built("[=c]").a


def test_an_unknown_id_is_a_fault_with_its_line(building: Building) -> None:
    """Noted for the end of the build, and shown in its place."""
    building.read("docs/x.md", "# One\n\nfine [=c]\n\nnot [=nothing.here] fine\n")
    soup = built(building.source)
    shown = soup.find(class_="fault")
    assert shown is not None
    assert "nothing.here" in shown.get_text()
    with pytest.raises(CheckError, match=r"docs/x\.md:5: \[=nothing\.here\]: unknown id nothing\.here"):
        building.conclude()


def test_a_preview_does_not_end_with_its_faults(tmp_path: Path) -> None:
    """While serving, a fault is seen and nothing is raised."""
    building = begin(copy_site(tmp_path / "site"), serving=True)
    built("[=nothing]")
    assert len(building.faults) == 1
    building.conclude()


def test_a_sentence_that_no_longer_holds_is_a_fault(building: Building) -> None:
    """The condition in the register decides, not the sentence."""
    lean(building.root, "v.9", "value < 1.1")
    with pytest.raises(CheckError, match=r"`value < 1\.1` no longer holds"):
        bound("v.9")


def test_a_discarded_run_is_not_cited(building: Building) -> None:
    """A claim whose run is discarded has no number."""
    register = building.root / "research" / "register.toml"
    entry = f'\n[[discard]]\nrun = "{RUN}"\nreason = "the machine slept"\n'
    register.write_text(register.read_text(encoding="utf-8") + entry, encoding="utf-8")
    with pytest.raises(InputError, match=r"is discarded \(the machine slept\)"):
        bound("c")
