"""The estimates: named functions from the rows of a run to a number, its interval, and what it rests on.

Importing this package registers every family.
"""

from speclab.evidence.estimates import (
    acceptance,
    between,
    decomposition,
    disagreement,
    distribution,
    divergence,
    exactness,
    margins,
    pace,
    repeats,
    sizes,
    speed,
    timing,
)
from speclab.evidence.estimates.estimate import EmptySelectionError, Estimate, Unit, ValueClass
from speclab.evidence.estimates.registry import (
    check_where,
    estimate,
    estimate_names,
    find_estimate,
    value_class_of,
)

__all__ = [
    "EmptySelectionError",
    "Estimate",
    "Unit",
    "ValueClass",
    "acceptance",
    "between",
    "check_where",
    "decomposition",
    "disagreement",
    "distribution",
    "divergence",
    "estimate",
    "estimate_names",
    "exactness",
    "find_estimate",
    "margins",
    "pace",
    "repeats",
    "sizes",
    "speed",
    "timing",
    "value_class_of",
]
