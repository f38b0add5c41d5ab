"""What each page weighs and how soon it is seen. Prints, fails nothing: `nox -s benchmark`.

The goals: 400 KB and a second to the first paint, the notebook's page apart. Read from the built site, served on
this machine, so that no network is part of it. The weight is what a host sends that compresses; beside it stands
what the browser unpacks.
"""

from __future__ import annotations

import gzip
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
_LOADED = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .map(each => new URL(each.name).pathname)"""


def main() -> None:
    """Open every page once, with nothing kept from the one before, and print the heaviest and the slowest."""
    found = sorted(measured(), reverse=True)
    print(f"{len(found)} pages; the goals are {WEIGHT_KB} KB and {PAINT_MS} ms")
    for sent, unpacked, milliseconds, name in found:
        over = " over" if sent > WEIGHT_KB or milliseconds > PAINT_MS else ""
        print(f"{sent:5.0f} KB, unpacked {unpacked:5.0f} KB, {milliseconds:4.0f} ms  {name}{over}")


def measured() -> list[tuple[float, float, float, str]]:
    """Of each page: kilobytes with all that it loads, sent and unpacked, milliseconds to the first paint, name."""

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
        # The page for a lost address looks for its files under the sub-path, and nobody reads it.
        for file in sorted(each for each in SITE.rglob("*.html") if each.name != "404.html"):
            name = file.relative_to(SITE).as_posix()
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
            page.wait_for_load_state("networkidle")
            loaded = [(SITE / path.lstrip("/")).read_bytes() for path in set(page.evaluate(_LOADED))]
            sent, unpacked = (sum(map(len, each)) / 1000 for each in (map(gzip.compress, loaded), loaded))
            found.append((sent, unpacked, page.evaluate(_PAINT), name))
            context.close()
        browser.close()
    server.shutdown()
    return found


if __name__ == "__main__":
    main()
