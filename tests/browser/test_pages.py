"""Every page as a reader meets it: both colour schemes, wide and narrow, printed, offline, without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from reading import reading

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Request

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]
WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")
# The theme gives its box for searching the role of a dialog and no name; a style cannot name it.
EXCEPT = {"exclude": [[".md-search"]]}
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def pages(site: Path) -> list[str]:
    """Every page, relative to the site."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_page_fits_and_is_quiet(browser: Browser, site: Path, address: str, scheme: str, width: int) -> None:
    """No page is wider than the window, none reports an error, none asks a network for anything."""
    found = []
    with reading(browser, viewport={"width": width, "height": 900}, color_scheme=scheme) as (page, wrong):

        def note(asked: Request) -> None:
            """What is asked for elsewhere."""
            if not asked.url.startswith(address):
                wrong.append(f"asks for {asked.url}")

        page.on("request", note)
        for name in pages(site):
            page.goto(address + name)
            page.wait_for_load_state("networkidle")
            over = page.evaluate(TOO_WIDE)
            if over > 0:
                found.append(f"{name}: {over} px too wide")
            found += [f"{name}: {each}" for each in wrong]
            wrong.clear()
    assert found == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_serious_fault(browser: Browser, site: Path, address: str, scheme: str) -> None:
    """Contrast, names, roles and order, as axe sees them."""
    found = []
    with reading(browser, viewport={"width": 1280, "height": 900}, color_scheme=scheme) as (page, _):
        for name in pages(site):
            page.goto(address + name)
            for fault in Axe().run(page, context=EXCEPT).response["violations"]:
                if fault["impact"] in {"serious", "critical"}:
                    where = [node["target"] for node in fault["nodes"]][:3]
                    found.append(f"{name}: {fault['id']}: {fault['help']} ({len(fault['nodes'])} times: {where})")
    assert found == []


def test_every_page_prints(browser: Browser, site: Path, address: str) -> None:
    """On paper nothing is wider than the sheet."""
    found = []
    with reading(browser, viewport={"width": 720, "height": 1000}) as (page, _):
        page.emulate_media(media="print")
        for name in pages(site):
            page.goto(address + name)
            over = page.evaluate(TOO_WIDE)
            if over > 0:
                found.append(f"{name}: {over} px too wide")
    assert found == []


def test_from_a_folder_without_a_server(browser: Browser, site: Path) -> None:
    """Opened as files, offline: no error, and links lead to pages."""
    with reading(browser, offline=True) as (page, wrong):
        page.goto((site / "index.html").as_uri())
        page.get_by_role("link", name="Measured speed").first.click()
        page.wait_for_url("**/chapter/speed.html")
        assert page.locator(".lab-figure svg").count() > 3
        page.goto((site / "chapter" / "idea.html").as_uri())
        page.get_by_role("button", name="Next", exact=True).first.click()
        assert "guess 1 of" in page.locator(".lab-caption").first.inner_text()
        assert wrong == []


def test_without_a_script_everything_is_there(browser: Browser, address: str) -> None:
    """Tables, figures, formulas and the recorded generations; nothing that would need the script."""
    with reading(browser, java_script_enabled=False) as (page, wrong):
        page.goto(f"{address}chapter/idea.html")
        assert page.locator(".lab-recording table").first.is_visible()
        assert page.locator(".lab-recording").count() == 3
        assert not page.locator(".lab-player").first.is_visible()
        page.goto(f"{address}chapter/pass.html")
        assert page.locator(".lab-sliders .curve").is_visible()
        assert not page.locator(".lab-sliders input").first.is_visible()
        assert page.locator("math").first.is_visible()
        assert wrong == []
