"""Connects the site's functions to mkdocs: generated pages, faults, watching, reloading."""

from __future__ import annotations

import sys
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, InclusionLevel

from speclab.errors import CheckError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

HERE = "speclab.site."


def site(name: str) -> Any:
    """A module of the site, as it is on the disk now."""
    return import_module(f"{HERE}{name}")


class SpeclabPlugin(BasePlugin):  # type: ignore[no-untyped-call,type-arg]
    """The plugin `speclab`. A build ends with every fault; a preview shows each in its place and lives on."""

    serving = False
    building: Any = None

    def on_startup(self, *, command: str, **_: object) -> None:
        """Note whether this is a preview; that this method exists keeps the plugin over rebuilds."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Start a build; while serving, take up edits of this package and let no warning end the preview."""
        if self.serving:
            # The package itself too: it holds on to its modules by name.
            for name in [each for each in sys.modules if f"{each}.".startswith(HERE) and each != __name__]:
                del sys.modules[name]
            invalidate_caches()
            site("preview").forgive_warnings()
        root = Path(config.config_file_path).resolve().parent
        last, self.building = self.building, site("building").begin(root, serving=self.serving)
        if self.serving:
            site("preview").keep(self.building, last)
        config.copyright = site("standing").footer(config.copyright)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that nobody writes, and the raw files of the runs."""
        pages = site("pages")
        for path, text in pages.generated_pages().items():
            inclusion = InclusionLevel.NOT_IN_NAV if "/runs/" in path else InclusionLevel.UNDEFINED
            files.append(File.generated(config, path, content=text, inclusion=inclusion))
        for path, where in pages.raw_files().items():
            files.append(File.generated(config, path, abs_src_path=str(where)))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, files: Files, **_: object) -> str:
        """Note which page is being read, for the faults that are met on it; a preview may have it already."""
        self.building.read(f"docs/{page.file.src_uri}", page.file.content_string)
        if self.serving:
            site("preview").render_once(page, markdown, self.building, files)
        return markdown

    @event_priority(-150)  # After those that fill in references between pages.
    def on_env(self, env: Any, *, files: Files, config: MkDocsConfig, **_: object) -> Any:
        """Name the users of each number in the register, and end a build that met faults."""
        if self.serving:
            site("preview").settle(self.building, files, config, env)
        uses = site("uses")
        pages = {file.dest_uri: file.page for file in files.documentation_pages() if file.page is not None}
        read = {path: (str(page.title), page.content or "") for path, page in pages.items()}
        pages[uses.REGISTER_PAGE].content = uses.fill_in_uses(read)
        try:
            self.building.conclude()
        except CheckError as error:
            raise PluginError(str(error)) from None
        return env

    def on_post_build(self, **_: object) -> None:
        """Let go of what a preview did not take over."""
        if self.serving:
            self.building.kept.close()
