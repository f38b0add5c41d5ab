"""The tables, one question a file. Each takes a run's id; without one, the run that the chapter follows."""

from speclab.site.tables.acceptance import acceptance
from speclab.site.tables.answer import five_lines
from speclab.site.tables.between import between_runs
from speclab.site.tables.costs import cost_ratios, iterations, pass_times
from speclab.site.tables.disagreement import disagreement
from speclab.site.tables.distribution import distribution
from speclab.site.tables.divergence import divergences, identical_outputs
from speclab.site.tables.exactness import (
    exactness_caches,
    exactness_configurations,
    exactness_mistakes,
    exactness_right,
)
from speclab.site.tables.margins import constructed_ties, margins
from speclab.site.tables.memory import memory
from speclab.site.tables.notice import notice
from speclab.site.tables.prediction import predictions
from speclab.site.tables.record import machine, models, origin, prompts
from speclab.site.tables.rows import first_rows
from speclab.site.tables.samplings import samplings
from speclab.site.tables.scope import scope
from speclab.site.tables.speed import shares, speedups

__all__ = [
    "acceptance",
    "between_runs",
    "constructed_ties",
    "cost_ratios",
    "disagreement",
    "distribution",
    "divergences",
    "exactness_caches",
    "exactness_configurations",
    "exactness_mistakes",
    "exactness_right",
    "first_rows",
    "five_lines",
    "identical_outputs",
    "iterations",
    "machine",
    "margins",
    "memory",
    "models",
    "notice",
    "origin",
    "pass_times",
    "predictions",
    "prompts",
    "samplings",
    "scope",
    "shares",
    "speedups",
]
