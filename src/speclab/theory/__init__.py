"""The arithmetic behind the pages: cost, intervals, goodness of fit, and the walk over all outcomes."""
