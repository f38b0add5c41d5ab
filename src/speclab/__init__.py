"""Speculative decoding, measured.

The names below are the public face; they load what they need when they are first used, so that importing
`speclab` needs neither torch nor transformers. Everything else is reached by its room, for instance
`speclab.theory.cost`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from speclab.backends.generate import plain_generate, speculative_generate
    from speclab.decoding.generation import Generation
    from speclab.decoding.loop import plain, speculative
    from speclab.decoding.rules import Acceptance, accept_greedy, accept_sample
    from speclab.decoding.sampling import Sampling
    from speclab.theory.cost import break_even_alpha, expected_tokens_per_iteration, predicted_speedup
    from speclab.theory.goodness import chi_square

_HOME = {
    "Acceptance": "speclab.decoding.rules",
    "Generation": "speclab.decoding.generation",
    "Sampling": "speclab.decoding.sampling",
    "accept_greedy": "speclab.decoding.rules",
    "accept_sample": "speclab.decoding.rules",
    "break_even_alpha": "speclab.theory.cost",
    "chi_square": "speclab.theory.goodness",
    "expected_tokens_per_iteration": "speclab.theory.cost",
    "plain": "speclab.decoding.loop",
    "plain_generate": "speclab.backends.generate",
    "predicted_speedup": "speclab.theory.cost",
    "speculative": "speclab.decoding.loop",
    "speculative_generate": "speclab.backends.generate",
}

__all__ = [
    "Acceptance",
    "Generation",
    "Sampling",
    "accept_greedy",
    "accept_sample",
    "break_even_alpha",
    "chi_square",
    "expected_tokens_per_iteration",
    "plain",
    "plain_generate",
    "predicted_speedup",
    "speculative",
    "speculative_generate",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    msg = f"module 'speclab' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
