"""Code on pages is the code that runs."""

from __future__ import annotations

import inspect

import pytest
from bs4 import BeautifulSoup

from speclab.decoding import rules
from speclab.decoding.loop import speculative
from speclab.errors import InputError
from speclab.site.listings import _listing


def shown(*names: str, file: str = "decoding/rules.py") -> str:
    """The code as a reader sees it."""
    code = BeautifulSoup(_listing(file, *names), "html.parser").select_one(".highlight pre")
    assert code is not None
    return code.get_text()


def statements(function: object) -> list[str]:
    """The lines of a function without its docstring."""
    lines = inspect.getsource(function).splitlines()  # type: ignore[arg-type]
    quoted = [place for place, line in enumerate(lines) if '"""' in line]
    first, last = quoted[0], quoted[0] if lines[quoted[0]].count('"""') > 1 else quoted[1]
    return [line for line in lines[:first] + lines[last + 1 :] if line.strip()]


@pytest.mark.parametrize("function", [rules.accept_greedy, rules.residual, rules.check_in_order, rules.bonus])
def test_a_listing_is_the_function_without_its_docstring(function: object) -> None:
    """Every line of it, in its order, and no other."""
    name = function.__name__  # type: ignore[attr-defined]
    assert [line for line in shown(name).splitlines() if line.strip()] == statements(function)


def test_several_functions_are_shown_in_the_order_that_was_asked_for() -> None:
    """The loop's listing is the loop."""
    both = shown("residual", "accept_probability")
    assert both.index("def residual") < both.index("def accept_probability")
    assert "yield Iteration(" in shown("speculative", file="decoding/loop.py")
    assert statements(speculative)[-1] in shown("speculative", file="decoding/loop.py")


def test_a_function_that_went_away_is_named() -> None:
    """So that a page does not show an empty frame."""
    with pytest.raises(InputError, match=r"src/speclab/decoding/rules\.py has no function accept_all"):
        _listing("decoding/rules.py", "accept_all")
