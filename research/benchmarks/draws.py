"""How long the draws of the distribution experiment take over a vocabulary of real size, and what they hold.

Prints, fails nothing: `nox -s benchmark`. The goal for 12 contexts, 3 seeds and 3 rules: 15 s and 1.5 GB at most.
The laws are made up, from nearly flat to as sure of a token as real ones are.
"""

from __future__ import annotations

import resource
import time
from typing import TYPE_CHECKING

import numpy as np

from speclab.backends.table import law
from speclab.decoding.sampling import Sampling
from speclab.experiments.context import look_at, try_rules
from speclab.records.plan import DistributionPlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

VOCABULARY = 151_665
CONTEXTS = 12
SPREADS = (0.05, 0.8, 1.6, 3.0)
"""Of the logits: the flatter a law, the longer its tokens are looked for."""
PLAN = DistributionPlan(contexts_per_kind=2, seeds=3)


def main() -> None:
    """Draw, test, and print."""
    dice = np.random.default_rng(0)
    pairs = [_pair(dice, SPREADS[number % len(SPREADS)]) for number in range(CONTEXTS)]
    before = _peak_mb()
    start, worked = time.perf_counter(), time.process_time()
    tests = 0
    for number, (p, q) in enumerate(pairs):
        context = look_at(p, q, PLAN)
        tests += sum(len(try_rules(context, PLAN, stream=f"{number}.{seed}")) for seed in range(PLAN.seeds))
    spent, worked = time.perf_counter() - start, time.process_time() - worked
    print(f"{tests} tests of {PLAN.draws:,} draws over {VOCABULARY:,} tokens: {spent:.1f} s ", end="")
    print(f"({worked:.1f} s of one core), {_peak_mb() - before:.0f} MB more than before")


def _pair(dice: np.random.Generator, spread: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    logits = spread * dice.gumbel(size=VOCABULARY)
    return law(logits, Sampling(1.0)), law(logits + dice.normal(size=VOCABULARY), Sampling(1.0))


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
