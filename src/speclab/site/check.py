"""What must hold for the built site, read from its HTML: `python -m speclab.site.check site`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from speclab.site.building import begin
from speclab.site.built import read_site
from speclab.site.gate import finish
from speclab.site.pages import generated_pages
from speclab.site.sitelinks import link_faults
from speclab.site.sources import block_faults, heading_faults, pages, printed_blocks
from speclab.site.uses import use_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.site.built import BuiltPage


def check(site: Path, root: Path) -> list[str]:
    """Everything that is wrong with a built site.

    Args:
        site: The folder that mkdocs wrote.
        root: The repository that it was built from.

    Returns:
        One line a fault, with its page, and its line and id where it has them; empty where all is well.
    """
    begin(root)
    built = read_site(site)
    written = pages(root)
    sources = {path.removeprefix("docs/"): text for path, text in written.items()} | generated_pages()
    faults = [fault for path, text in written.items() for fault in block_faults(path, text)]
    faults += [fault for path, text in written.items() for fault in heading_faults(path, text)]
    for name, text in sources.items():
        path = name.removesuffix(".md") + ".html"
        if path not in built:
            faults.append(f"{name}: it was not built, {path} is missing")
            continue
        shown, asked = len(built[path].tags("[data-block]")), printed_blocks(text)
        if shown != asked:
            faults.append(f"{name}: {asked} blocks print into this page, and {shown} outputs are in it")
    for page in built.values():
        faults += page_faults(page)
    faults += link_faults(site, built, _home(root))
    return faults + use_faults(built, written)


def _home(root: Path) -> str:
    """The address that the pages are meant for, as `mkdocs.yml` says."""
    return str(yaml.safe_load((root / "mkdocs.yml").read_text(encoding="utf-8"))["site_url"])


def page_faults(page: BuiltPage) -> Iterator[str]:
    """What is wrong with one page by itself."""
    for tag in page.tags(".fault"):
        yield f"{page.path}: {tag.get_text()}"
    for tag in page.tags("code.piece, .said"):
        tag.decompose()
    if "Traceback (most recent call last)" in page.soup.get_text():
        yield f"{page.path}: a traceback was published"
    for sign, what in (("exec=", "a block was shown and not executed"), ("[=", "a number was not put in")):
        if sign in page.prose:
            at = page.prose.index(sign)
            yield f"{page.path}: {what}: {' '.join(page.prose[max(0, at - 20) : at + 40].split())!r}"
    for tag in page.soup.find_all(lambda tag: any("[=" in str(each) for each in tag.attrs.values())):
        yield f"{page.path}: a number was not put in, in an attribute of <{tag.name}>: it can stand in text only"
    yield from _id_faults(page)


def _id_faults(page: BuiltPage) -> Iterator[str]:
    for name, times in Counter(page.ids).items():
        if times > 1:
            yield f"{page.path}: the id {name!r} is there {times} times"
    for tag in page.tags("[aria-labelledby]"):
        for name in str(tag["aria-labelledby"]).split():
            if name not in page.ids:
                yield f"{page.path}: <{tag.name}> is labelled by {name!r}, which is not there"


def main() -> None:
    """Check the site that is named, built from the repository in the current folder; exit 1 on a fault."""
    finish(lambda: check(Path(sys.argv[1] if len(sys.argv) > 1 else "site"), Path.cwd()))


if __name__ == "__main__":
    main()
