"""What each page weighs and how soon it is seen. Prints, fails nothing: `nox -s benchmark`.

The goals: 400 KB and a second to the first paint, the notebook's page apart. Read from the built site, served on
this machine, so that no network is part of it.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[2] / "site"
WEIGHT_KB, PAINT_MS = 400, 1000
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_WEIGHT = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .reduce((sum, each) => sum + each.decodedBodySize, 0)"""


def main() -> None:
    """Open every page once, with nothing kept from the one before, and print the heaviest and the slowest."""
    found = sorted(measured(), reverse=True)
    print(f"{len(found)} pages; the goals are {WEIGHT_KB} KB and {PAINT_MS} ms")
    for kilobytes, milliseconds, name in found:
        over = " over" if kilobytes > WEIGHT_KB or milliseconds > PAINT_MS else ""
        print(f"{kilobytes:7.0f} KB {milliseconds:6.0f} ms  {name}{over}")


def measured() -> list[tuple[float, float, str]]:
    """Kilobytes with everything that it loads, milliseconds to the first paint, and name, of each page."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = []
    path = os.environ.get("CHROMIUM")
    if not path:
        sys.exit("name a Chromium in CHROMIUM, as `nox -s benchmark` does")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[] if os.geteuid() else ["--no-sandbox"])
        for file in sorted(SITE.rglob("*.html")):
            name = file.relative_to(SITE).as_posix()
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
            page.wait_for_load_state("networkidle")
            found.append((page.evaluate(_WEIGHT) / 1000, page.evaluate(_PAINT), name))
            context.close()
        browser.close()
    server.shutdown()
    return found


if __name__ == "__main__":
    main()
