"""How a law is made from logits: temperature, top-k, top-p, min-p."""

from __future__ import annotations

from dataclasses import dataclass

from speclab.errors import InputError

GREEDY_BELOW = 1e-5
"""A temperature under this is greedy everywhere: dividing by it would only spell argmax with overflow."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The transforms applied to logits, in this order, as transformers applies them.

    Attributes:
        temperature: Divides the logits; under `GREEDY_BELOW` the likeliest token is taken instead.
        top_k: Keep the k likeliest tokens, ties with the k-th included; 0 keeps all.
        top_p: Keep the smallest set of likeliest tokens whose mass reaches this; 1 keeps all.
        min_p: Keep tokens at least this fraction as likely as the likeliest; 0 keeps all.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0

    def __post_init__(self) -> None:
        # Written so that NaN fails too.
        if not 0.0 <= self.temperature < float("inf"):
            msg = f"temperature is {self.temperature}; it must be finite and at least 0"
            raise InputError(msg)
        if self.top_k < 0:
            msg = f"top_k is {self.top_k}; it must be at least 0 (0 keeps every token)"
            raise InputError(msg)
        if not 0.0 < self.top_p <= 1.0:
            msg = f"top_p is {self.top_p}; it must be above 0 and at most 1"
            raise InputError(msg)
        if not 0.0 <= self.min_p <= 1.0:
            msg = f"min_p is {self.min_p}; it must lie between 0 and 1"
            raise InputError(msg)

        if self.greedy and (self.top_k or self.top_p < 1 or self.min_p):
            msg = "top_k, top_p and min_p cut what is sampled: give a temperature above 0 with them"
            raise InputError(msg)

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken and nothing is drawn."""
        return self.temperature < GREEDY_BELOW


GREEDY = Sampling()
