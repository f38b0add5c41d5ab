"""Many draws at once over a vocabulary of real size: the right rule alarms as stated, wrong ones are seen."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from calibrated import SEEDS, check_alarms, check_power
from speclab.backends.table import law
from speclab.decoding.sampling import Sampling
from speclab.experiments.draws import UNIFORMS, draw
from speclab.experiments.rules import RULES
from speclab.theory.goodness import chi_square
from speclab.theory.power import draws_needed, power

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from speclab.records.rows import Rule

    Law = NDArray[np.float64]

pytestmark = [pytest.mark.calibration, pytest.mark.timeout(1200)]

VOCABULARY = 151_936
CELLS = 60
SPREADS = {"long tail": (0, 0.8), "peaked": (3, 2.0)}
"""Seed and spread of the logits: the likeliest token has about a tenth of the mass, or nine tenths."""
FALSE_ALARM = 0.001


@cache
def laws(shape: str) -> tuple[Law, Law]:
    """Of a target and a draft near it."""
    seed, spread = SPREADS[shape]
    dice = np.random.default_rng(seed)
    logits = spread * dice.gumbel(size=VOCABULARY)
    other = logits + 0.4 * dice.normal(size=VOCABULARY)
    return law(logits, Sampling(1.0)), law(other, Sampling(1.0))


def p_values(shape: str, rule: Rule, draws: int) -> NDArray[np.float64]:
    """One test a seed."""
    p, q = laws(shape)
    found = []
    for seed in SEEDS:
        uniforms = np.random.default_rng(seed).random((draws, UNIFORMS))
        counts = np.bincount(draw(RULES[rule], p, q, uniforms).first, minlength=VOCABULARY)
        found.append(chi_square(counts, p, top=CELLS).p_value)
    return np.array(found, dtype=np.float64)


@pytest.mark.parametrize("shape", SPREADS)
def test_the_right_rule_alarms_as_often_as_stated(shape: str, found: Callable[[str], None]) -> None:
    """Single tests, families, and the whole range of p-values."""
    found(check_alarms(p_values(shape, "ratio", 20_000)))


@pytest.mark.parametrize("aim", [0.5, 0.99])
@pytest.mark.parametrize("rule", ["fresh_draw", "draft_kept"])
@pytest.mark.parametrize("shape", SPREADS)
def test_a_wrong_rule_is_seen_as_often_as_its_power_says(
    shape: str, rule: Rule, aim: float, found: Callable[[str], None]
) -> None:
    """With as many draws as a power takes, that share of the seeds rejects it."""
    p, q = laws(shape)
    wrong = RULES[rule].law(p, q)
    draws = draws_needed(p, wrong, false_alarm=FALSE_ALARM, power=aim, top=CELLS)
    assert draws is not None
    computed = power(p, wrong, draws=draws, false_alarm=FALSE_ALARM, top=CELLS)
    found(f"{draws:,} draws: {check_power(p_values(shape, rule, draws), FALSE_ALARM, computed)}")
