"""The figures, one a file; each answers one question and is titled with what the data say."""

from speclab.site.figures.disagreement import disagreement
from speclab.site.figures.drift import drift
from speclab.site.figures.margins import margins
from speclab.site.figures.passes import pass_time
from speclab.site.figures.speeds import speedup

__all__ = ["disagreement", "drift", "margins", "pass_time", "speedup"]
