"""What a page executes: functions that are seen or fail, and never leave a traceback in a page."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from speclab.errors import CheckError, InputError
from speclab.site.building import current

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")


def block(make: Callable[P, str]) -> Callable[P, str]:
    """Mark what a function returns as the output of a block, so that blocks can be counted in the built pages.

    A fault of the input or of a check becomes a fault of the page, at the line that calls the function.

    Args:
        make: Returns HTML. Its name in a page is that of its room and its own, for instance `figures.pass_time`.
    """
    room = "tables" if ".tables" in make.__module__ else "figures" if ".figures" in make.__module__ else "pages"
    name = f"{room}.{make.__name__}"

    @wraps(make)
    def marked(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            html = make(*args, **kwargs)
        except (CheckError, InputError) as error:
            html = current().report(name, str(error))
        return f'<div class="speclab" data-block="{name}">\n{html}\n</div>'

    return marked
