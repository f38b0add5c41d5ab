"""How a check of the gate ends, whatever it checks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

from speclab.errors import CheckError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def finish(check: Callable[[], Iterable[str]]) -> NoReturn:
    """Make a check, print each fault on a line, and end the program: with 1 where there is one, else with 0.

    Args:
        check: Gives one line a fault. That it cannot be made is a fault too.
    """
    try:
        faults = [*check()]
    except (CheckError, InputError) as error:
        faults = [str(error)]
    for line in faults:
        print(line, file=sys.stderr)
    sys.exit(1 if faults else 0)
