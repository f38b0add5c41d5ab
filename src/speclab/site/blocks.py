"""What a page executes: functions that are seen or fail, and never leave a traceback in a page."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Protocol

from speclab.errors import CheckError, InputError
from speclab.site.building import current
from speclab.site.escape import escape
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Block(Protocol):
    """What a page calls."""

    def __call__(self, run_id: str | None = None) -> str:
        """HTML of a run: by its id, by the name of the plan that shows it, or of the chapter's."""
        ...


def block(make: Callable[[str | None], str]) -> Block:
    """Mark what a function returns as the output of a block, so that it can be counted, and traced to its run.

    A fault of the input or of a check becomes a fault of the page, at the line that calls the function.

    Args:
        make: Returns HTML. Its name in a page is that of its room and its own, for instance `figures.pass_time`.
    """
    room = "tables" if ".tables" in make.__module__ else "figures" if ".figures" in make.__module__ else "pages"
    name = f"{room}.{make.__name__}"

    @wraps(make)
    def marked(run_id: str | None = None) -> str:
        shown = ""
        try:
            shown = run_of(run_id).record.id
            html = make(run_id)
        except (CheckError, InputError) as error:
            html = current().report(name, str(error))
        run = escape(shown, "attribute")
        return f'<div class="speclab" data-block="{name}" data-run="{run}">\n{html}\n</div>'

    return marked
