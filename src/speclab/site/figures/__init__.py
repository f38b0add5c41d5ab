"""The figures, one a file; each answers one question and is titled with what the data say."""

from speclab.site.figures.passes import pass_time
from speclab.site.figures.speeds import speedup

__all__ = ["pass_time", "speedup"]
