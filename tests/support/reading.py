"""A page to read with in a browser, and what went wrong on it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page


@contextmanager
def reading(browser: Browser, **context: Any) -> Iterator[tuple[Page, list[str]]]:
    """A page to read with, and what went wrong on it: errors of scripts, and files that are not there."""
    wrong: list[str] = []
    opened = browser.new_context(**context)
    page = opened.new_page()
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"no {request.url}"))
    page.on("response", lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    yield page, wrong
    opened.close()
