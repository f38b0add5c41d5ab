"""The figures, one a file; each answers one question and is titled with what the data say."""

from speclab.site.figures.acceptance import acceptance
from speclab.site.figures.best import best_k
from speclab.site.figures.disagreement import disagreement
from speclab.site.figures.drift import drift
from speclab.site.figures.gains import gains
from speclab.site.figures.histogram import histogram
from speclab.site.figures.margins import margins
from speclab.site.figures.p_values import p_values
from speclab.site.figures.pace import pace
from speclab.site.figures.passes import pass_time
from speclab.site.figures.prediction import prediction
from speclab.site.figures.reported import reported
from speclab.site.figures.shares import iteration_time
from speclab.site.figures.speeds import speedup

__all__ = [
    "acceptance",
    "best_k",
    "disagreement",
    "drift",
    "gains",
    "histogram",
    "iteration_time",
    "margins",
    "p_values",
    "pace",
    "pass_time",
    "prediction",
    "reported",
    "speedup",
]
