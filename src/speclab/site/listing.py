"""Every number of the built site with where it comes from: `python -m speclab.site.listing site`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.site.bound import bound
from speclab.site.building import begin
from speclab.site.built import read_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bs4 import Tag

    from speclab.site.built import BuiltPage

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Listed:
    """A number, or those of a printed block together.

    Attributes:
        page: Where it is shown.
        shown: Its text, or how many there are.
        source: What stands behind it.
    """

    page: str
    shown: str
    source: str

    def __str__(self) -> str:
        return f"{self.page}: {self.shown}: {self.source}"


def listing(site: Path, root: Path) -> Iterator[Listed]:
    """Every bound number in the order of the pages, and each printed block with the run that it shows.

    Args:
        site: The folder that mkdocs wrote.
        root: The repository that it was built from.
    """
    begin(root)
    for page in read_site(site).values():
        yield from _page(page)


def _page(page: BuiltPage) -> Iterator[Listed]:
    for tag in page.tags("a[data-claim], [data-block]"):
        if tag.get("data-claim"):
            address = ".".join(str(tag[key]) for key in ("data-claim", "data-part") if tag.get(key))
            attributes, shown = bound(address)
            yield Listed(page.path, shown, f"[={address}], {attributes['title']}")
        else:
            run = f"run {tag['data-run']}" if tag["data-run"] else "no run"
            yield Listed(page.path, f"{_count(tag)} numbers", f"{tag['data-block']}, {run}")


def _count(block: Tag) -> int:
    """Numbers in the text of a block that are not bound one by one."""
    bound_ones = sum(len(_NUMBER.findall(each.get_text())) for each in block.select("a[data-claim]"))
    return len(_NUMBER.findall(block.get_text(" "))) - bound_ones


def main() -> None:
    """List the numbers of the site that is named, built from the repository in the current folder."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    try:
        for each in listing(site, Path.cwd()):
            print(each)
    except (CheckError, InputError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
