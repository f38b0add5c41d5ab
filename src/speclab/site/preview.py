"""What a preview does otherwise than a build."""

from __future__ import annotations

import logging

from mkdocs.utils import CountHandler


def forgive_warnings() -> None:
    """Let no warning end a preview: take away what counts them for the strict mode."""
    mkdocs = logging.getLogger("mkdocs")
    for handler in [each for each in mkdocs.handlers if isinstance(each, CountHandler)]:
        mkdocs.removeHandler(handler)
