"""The formulas that a computed value can name: those of the cost model, plain arithmetic, and simulated clocks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from speclab.errors import InputError
from speclab.evidence import drift
from speclab.theory.cost import break_even_alpha, expected_tokens_per_iteration, iteration_cost, predicted_speedup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclab.evidence.estimates.estimate import Unit

Function: TypeAlias = Callable[..., float | None]


def quotient(of: float, by: float) -> float:
    """One number divided by another."""
    if by == 0:
        msg = "the divisor is 0"
        raise InputError(msg)
    return of / by


def difference(of: float, less: float) -> float:
    """One number less another."""
    return of - less


def total(first: float, second: float) -> float:
    """Two numbers together."""
    return first + second


def relative_change(of: float, against: float) -> float:
    """One number against another, as a share of the other: -0.1 is a tenth less."""
    return quotient(of, against) - 1


def product(of: float, by: float) -> float:
    """One number times another."""
    return of * by


def drafting_steps(k: int, *, alpha: float, cost_ratio: float, two: float) -> float:
    """Drafting in an iteration, in steps of the target, with the draft's catching up.

    After an iteration whose guesses all stood, the draft lacks its own last guess and the bonus, so the first pass
    of the next one takes in two tokens.

    Args:
        k: Proposals.
        alpha: Acceptance rate; all stand with its k-th power.
        cost_ratio: A step of the draft in steps of the target.
        two: The draft's pass over two tokens, in its own steps.
    """
    return cost_ratio * (k + alpha**k * (two - 1))


def expected_count(tests: float, probability: float) -> float:
    """How many of so many tests are expected to come out so by chance, for instance false alarms."""
    return tests * probability


@dataclass(frozen=True, slots=True)
class Formula:
    """A function of numbers.

    Attributes:
        function: From named numbers to a number, or None where there is none.
        unit: Of the result; None where it is the unit of the first argument.
        none: Why there is no number, where the function can return None.
    """

    function: Function
    unit: Unit | None
    none: str = ""


FORMULAS: Final[Mapping[str, Formula]] = {
    "break_even_alpha": Formula(
        break_even_alpha, "share", "an iteration costs at least k + 1 steps: no alpha is enough"
    ),
    "difference": Formula(difference, None),
    "drafting_steps": Formula(drafting_steps, "ratio"),
    "drift_jump_block": Formula(drift.jump_in_block, "ratio"),
    "drift_jump_turns": Formula(drift.jump_in_turns, "ratio"),
    "drift_jump_unpaired": Formula(drift.jump_unpaired, "ratio"),
    "drift_slow_turns": Formula(drift.slowing_in_turns, "ratio"),
    "drift_slow_unpaired": Formula(drift.slowing_unpaired, "ratio"),
    "expected_count": Formula(expected_count, "count"),
    "expected_tokens_per_iteration": Formula(expected_tokens_per_iteration, "tokens"),
    "iteration_cost": Formula(iteration_cost, "ratio"),
    "predicted_speedup": Formula(predicted_speedup, "ratio"),
    "product": Formula(product, None),
    "quotient": Formula(quotient, "ratio"),
    "relative_change": Formula(relative_change, "ratio"),
    "total": Formula(total, None),
}


def find_formula(name: str, inputs: Mapping[str, object]) -> Formula:
    """The formula of that name, once its arguments fit.

    Raises:
        InputError: On an unknown formula, an unknown argument or a missing one.
    """
    if name not in FORMULAS:
        msg = f"unknown formula {name!r}; there are: {', '.join(FORMULAS)}"
        raise InputError(msg)
    signature = inspect.signature(FORMULAS[name].function)
    try:
        signature.bind(**inputs)
    except TypeError as error:
        msg = f"formula {name}: {error}; it takes: {', '.join(signature.parameters)}"
        raise InputError(msg) from None
    return FORMULAS[name]
