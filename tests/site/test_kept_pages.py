"""When a preview renders a page again, and what it takes over where it does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from mkdocs.structure.files import Files

from small_site import copy_site
from speclab.site.building import begin
from speclab.site.preview import keep, render_once

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.site.building import Building


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The pages with a simulated run."""
    return copy_site(tmp_path / "site")


class Preview:
    """A preview of one page, whose rendering is counted."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rendered = 0
        self.last: Building | None = None

    def page(self, markdown: str, html: str, **meta: object) -> Any:
        """The page after another rebuild."""
        building = begin(self.root, serving=True)
        keep(building, self.last)
        self.last = building
        page: Any = SimpleNamespace(
            file=SimpleNamespace(src_uri="a.md"), meta=meta, title=meta.get("title", "A"), toc=[], content=None
        )
        page.present_anchor_ids, page.links_to_anchors = {"a"}, {}

        def render(_config: object, _files: object) -> None:
            self.rendered += 1
            page.content = html

        page.render = render
        render_once(page, markdown, building, Files([]))
        page.render({}, Files([]))
        return page


def test_a_page_is_rendered_where_its_text_or_its_head_changed(root: Path) -> None:
    """What is taken over is the page as it was, title and anchors too."""
    preview = Preview(root)
    assert preview.page("text", "<p>1</p>").content == "<p>1</p>"
    again = preview.page("text", "<p>2</p>")
    assert (again.content, again.title, again.present_anchor_ids) == ("<p>1</p>", "A", {"a"})
    assert preview.page("text, edited", "<p>3</p>").content == "<p>3</p>"
    assert preview.page("text, edited", "<p>4</p>", title="B").title == "B"
    assert preview.rendered == 3


def test_a_page_with_a_traceback_is_rendered_again(root: Path) -> None:
    """Whatever mended it: nothing tells what its code needs."""
    preview = Preview(root)
    preview.page("text", "<pre>Traceback (most recent call last): …</pre>")
    assert preview.page("text", "<p>mended</p>").content == "<p>mended</p>"


def test_a_page_with_a_fault_is_rendered_again(root: Path) -> None:
    """The second time the same fault is told, too."""
    last: Building | None = None
    for html in ("<p>1</p>", "<p>2</p>"):
        building = begin(root, serving=True)
        keep(building, last)
        last = building
        assert building.kept is not None
        building.report("x", "told before")

        def make(html: str = html, building: Building = building) -> str:
            building.report("x", "told before")
            return html

        assert building.kept.get("page", make) == html
