"""`mkdocs serve`: a second run renumbers the pages, and what no longer holds is shown in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preview import serving, until
from small_site import RUN, adopt_run, copy_site, lean, replace
from speclab.evidence.register import Register
from synthetic import synthetic_run

if TYPE_CHECKING:
    from pathlib import Path

    from bs4 import BeautifulSoup


def text_of(soup: BeautifulSoup, claim: str) -> str | None:
    tag = soup.find("a", attrs={"data-claim": claim})
    return tag.get_text() if tag else None


# A page that shows when it was rendered.
STAMP = """

```python exec="1" html="1"
import time
print(f'<p id="rendered">{time.time_ns()}</p>')
```
"""


def stamp(soup: BeautifulSoup) -> str:
    tag = soup.find(id="rendered")
    return tag.get_text() if tag else ""


def test_a_second_run_renumbers_the_pages_and_names_what_no_longer_holds(tmp_path: Path) -> None:
    """Adopted while the preview runs: new numbers, and the sentence that lost its ground as a fault.

    A page without a number of it is not rendered again, until it is edited itself.
    """
    root = copy_site(tmp_path / "site")
    lean(root, "pass.draft", "value < pass.target")
    terms = root / "docs/chapter/terms.md"
    terms.write_text(terms.read_text(encoding="utf-8") + STAMP, encoding="utf-8")
    before = Register(root).show("c")
    with serving(root) as address:
        page = f"{address}chapter/pass.html"
        first = until(page, lambda soup: text_of(soup, "c") == before, root / "said.txt")
        assert first.find(class_="fault") is None
        assert RUN in first.get_text()
        # A draft slower than the target: everything changes, and "one step of the draft" loses its ground.
        adopt_run(root, *synthetic_run("quick-second", seed=5, slow=3))
        after = Register(root).show("c")
        assert after != before
        second = until(page, lambda soup: text_of(soup, "c") == after, root / "said.txt")
        assert RUN not in second.get_text()
        faults = [tag.get_text() for tag in second.find_all(class_="fault")]
        assert any("[=pass.draft]: `value < pass.target` no longer holds" in each for each in faults)
        page = f"{address}chapter/terms.html"
        rendered = stamp(until(page, lambda soup: bool(stamp(soup)), root / "said.txt"))
        # A fault of the page itself is shown too, and the preview lives on.
        replace(root / "docs" / "index.md", "What was found", "What was found [=speed.nothing]")
        until(address, lambda soup: "unknown id speed.nothing" in soup.get_text(), root / "said.txt")
        assert stamp(until(page, lambda soup: bool(stamp(soup)), root / "said.txt")) == rendered
        replace(terms, "# Terms", "# Terms, edited")
        edited = until(page, lambda soup: "Terms, edited" in soup.get_text(), root / "said.txt")
        assert stamp(edited) != rendered
