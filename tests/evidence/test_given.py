"""Numbers that are given: what the pages cite is what the code does."""

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from speclab.evidence.given import read_given
from speclab.experiments.exactness import experiment
from speclab.measure import disturbance
from speclab.theory import floor
from speclab.theory.intervals import t_interval


@pytest.mark.parametrize(
    ("name", "in_code"),
    [
        ("given.disturbed.arms", lambda: disturbance.PLAIN_APART),
        ("given.disturbed.drift", lambda: disturbance.DRIFT),
        ("given.disturbed.others", lambda: disturbance.OTHERS),
        ("given.disturbed.steal", lambda: disturbance.STEAL),
        ("given.judged.steps", lambda: disturbance.FEWEST_STEPS),
        ("given.judged.cycles", lambda: disturbance.FEWEST_CYCLES),
        ("given.power", lambda: floor.NEARLY_ALWAYS),
        ("given.exact.tolerance", lambda: experiment.TOLERANCE),
        ("given.exact.mistake", lambda: experiment.LEAST_WRONG),
        ("given.confidence", lambda: inspect.signature(t_interval).parameters["confidence"].default),
    ],
)
def test_given_numbers_are_those_of_the_code(name: str, in_code: Callable[[], float]) -> None:
    """A limit that is changed in one place alone would make a page untrue."""
    given = read_given(Path(__file__).parents[2])
    assert given[name].value == in_code()


def test_every_given_number_has_its_reason() -> None:
    """A number without a reason is a number typed in."""
    text = (Path(__file__).parents[2] / "research" / "given.toml").read_text(encoding="utf-8")
    assert text.count("[[given]]") == text.count("\nreason = ") > 0
