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
    name = _name(make)

    @wraps(make)
    def marked(run_id: str | None = None) -> str:
        def kept() -> str:
            return _kept(f"{name} {run_id or ''}", make.__module__, lambda: make(run_id))

        return _printed(name, kept, lambda: run_of(run_id).record.id)

    return marked


def runless(make: Callable[[], str]) -> Callable[[], str]:
    """The same for what rests on no run: it is computed, and its numbers lead to the register."""
    name = _name(make)

    @wraps(make)
    def marked() -> str:
        return _printed(name, lambda: _kept(name, make.__module__, make), str)

    return marked


def _name(make: Callable[..., str]) -> str:
    room = make.__module__.removeprefix("speclab.site.").partition(".")[0]
    return f"{room}.{make.__name__}"


def _kept(name: str, module: str, make: Callable[[], str]) -> str:
    """The output of a block; of the last rebuild of a preview, where nothing that it rests on changed.

    The run, the numbers and the code that it shows are asked for where it takes them.
    """
    building = current()
    if building.kept is None:
        return make()

    def asking() -> str:
        building.ask("code")
        building.ask("module", module)
        building.ask("said")
        return make()

    return building.kept.get(name, asking)


def _printed(name: str, make: Callable[[], str], run: Callable[[], str]) -> str:
    shown = ""
    building = current()
    building.printing = name
    try:
        shown = run()
        html = make()
    except (CheckError, InputError) as error:
        html = building.report(name, str(error))
    finally:
        building.printing = ""
    return f'<div class="speclab" data-block="{name}" data-run="{escape(shown, "attribute")}">\n{html}\n</div>'
