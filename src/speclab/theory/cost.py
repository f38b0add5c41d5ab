"""What speculation gains and costs: expected tokens, speed-up, break-even.

With `E` tokens per iteration and an iteration that costs `C` steps of the target, decoding is `E / C` times as
fast as plain. In the notation used here:

    E(alpha, k) = 1 + alpha + … + alpha^k = (1 - alpha^(k+1)) / (1 - alpha)
    C           = k c + v + overhead

`E` is equation 1 of Leviathan, Kalman and Matias, *Fast Inference from Transformers via Speculative Decoding*
(ICML 2023); `c` is the cost coefficient of their definition 3.7; and `E / (k c + 1)` is their theorem 3.8. They
take the check of k proposals to cost as much as one step (v = 1) and everything else to be free (overhead = 0);
both can be measured, so here both are arguments.

`E` holds for one chain of proposals, each accepted with probability alpha whatever happened before. It says
nothing about trees of proposals, and it is off where acceptance comes in runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq

from speclab.errors import InputError


def expected_tokens_per_iteration(alpha: float, k: int) -> float:
    """Tokens that an iteration commits on average: the accepted proposals, and one of the target's own.

    Args:
        alpha: Probability that a proposal is accepted, independently of the others, from 0 to 1.
        k: Proposals in an iteration.

    Returns:
        Between 1 and k + 1. Subtract 1 for the accepted proposals alone.

    Raises:
        InputError: On an alpha that is no probability, or a negative k.
    """
    _require_count(k)
    if not 0 <= alpha <= 1:
        msg = f"alpha is {alpha}; an acceptance rate lies between 0 and 1"
        raise InputError(msg)
    # The sum by Horner's rule: exact at both ends, and nothing cancels as alpha comes near 1.
    tokens = 1.0
    for _ in range(k):
        tokens = tokens * alpha + 1
    return tokens


def iteration_cost(k: int, *, cost_ratio: float, verify_ratio: float = 1.0, overhead: float = 0.0) -> float:
    """Cost of an iteration in steps of the target: k c + v + overhead.

    Args:
        k: Proposals in an iteration.
        cost_ratio: c, one step of the draft / one step of the target; may exceed 1.
        verify_ratio: v, the target's pass over k + 1 tokens / its pass over one.
        overhead: Everything else in an iteration, in steps of the target.

    Raises:
        InputError: On a negative k, a ratio that is negative, infinite or NaN, or a check that costs nothing.
    """
    _require_count(k)
    for name, value in (("cost_ratio", cost_ratio), ("verify_ratio", verify_ratio), ("overhead", overhead)):
        if not 0 <= value < math.inf:
            msg = f"{name} is {value}; it must be finite and at least 0"
            raise InputError(msg)
    if verify_ratio == 0:
        msg = "verify_ratio is 0; the target's pass is never free"
        raise InputError(msg)
    return k * cost_ratio + verify_ratio + overhead


def predicted_speedup(
    alpha: float, k: int, *, cost_ratio: float, verify_ratio: float = 1.0, overhead: float = 0.0
) -> float:
    """Time of plain decoding / time with k proposals an iteration, for the same tokens: E / C.

    Args:
        alpha: Probability that a proposal is accepted.
        k: Proposals in an iteration; 0 is plain decoding.
        cost_ratio: As in `iteration_cost`.
        verify_ratio: As in `iteration_cost`.
        overhead: As in `iteration_cost`.

    Raises:
        InputError: On an argument that is out of range.
    """
    cost = iteration_cost(k, cost_ratio=cost_ratio, verify_ratio=verify_ratio, overhead=overhead)
    return expected_tokens_per_iteration(alpha, k) / cost


def break_even_alpha(
    k: int, *, cost_ratio: float, verify_ratio: float = 1.0, overhead: float = 0.0
) -> float | None:
    """The acceptance rate at which k proposals an iteration are exactly as fast as plain decoding.

    Args:
        k: Proposals in an iteration.
        cost_ratio: As in `iteration_cost`.
        verify_ratio: As in `iteration_cost`.
        overhead: As in `iteration_cost`.

    Returns:
        The alpha where E = C. 0.0 where C <= 1: an iteration costs no more than the one token it surely brings.
        None where C >= k + 1: even if every proposal stood, nothing would be gained.

    Raises:
        InputError: On an argument that is out of range.
    """
    cost = iteration_cost(k, cost_ratio=cost_ratio, verify_ratio=verify_ratio, overhead=overhead)
    if cost <= 1:
        return 0.0
    if cost >= k + 1:
        return None
    return float(brentq(lambda alpha: expected_tokens_per_iteration(alpha, k) - cost, 0.0, 1.0, xtol=1e-15))


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A measured speed-up beside what its own parts account for.

    Attributes:
        accounted: Speed-up that the counted tokens and the timed parts give.
        measured: Speed-up that was measured.
        residual: measured / accounted - 1; negative where an iteration took longer than its parts.
        overhead: What the parts leave out of an iteration, in steps of the target.
        sign_flip: Whether one of the two is a gain and the other a loss.
    """

    accounted: float
    measured: float
    residual: float
    overhead: float
    sign_flip: bool


def decompose(tokens_per_iteration: float, *, parts: float, measured: float) -> Decomposition:
    """What a measured speed-up leaves over, once the tokens and the cost of an iteration have been counted.

    Args:
        tokens_per_iteration: As counted, the target's own token included; from any shape of proposals.
        parts: Cost of the parts that were timed (usually drafting and the check), in steps of the target.
        measured: The measured speed-up.

    Raises:
        InputError: On a number that is not positive and finite.
    """
    for name, value in (
        ("tokens_per_iteration", tokens_per_iteration),
        ("parts", parts),
        ("measured", measured),
    ):
        if not 0 < value < math.inf:
            msg = f"{name} is {value}; it must be finite and above 0"
            raise InputError(msg)
    accounted = tokens_per_iteration / parts
    return Decomposition(
        accounted=accounted,
        measured=measured,
        residual=measured / accounted - 1,
        overhead=tokens_per_iteration / measured - parts,
        sign_flip=(accounted > 1) != (measured > 1),
    )


def _require_count(k: int) -> None:
    if k < 0:
        msg = f"k is {k}; the number of proposals is at least 0"
        raise InputError(msg)
