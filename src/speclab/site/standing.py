"""Whether the code that a run executed is still here: said on its page and below every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.freshness import changed_sources
from speclab.site.building import current
from speclab.site.html import Html, code, text

if TYPE_CHECKING:
    from speclab.records.run import RunRecord


def standing(record: RunRecord) -> Html:
    """Fresh, or stale with the files that changed and the commits that changed them."""
    changed = changed_sources(record, current().root)
    if not changed:
        return Html("fresh: the code that it executed is the code that is here")
    files = "".join(f"<li>{text(each)}</li>" for each in changed)
    return Html(
        f"<details><summary>stale: {len(changed)} of {len(record.sources)} files that it executed or read are "
        f"others now</summary><ul>{files}</ul></details>"
    )


def footer(owned: str | None) -> str:
    """What stands below every page: the licences, and how the chapter's run stands.

    Args:
        owned: The line of `mkdocs.yml`, as HTML.
    """
    try:
        record = current().register.run().record
    except (CheckError, InputError):
        return owned or ""  # the pages that need the run say why it is missing
    said = f"The chapter follows the run {code(record.id)}."
    return f'{owned or ""}<br>{said} <span class="standing">{standing(record)}</span>'
