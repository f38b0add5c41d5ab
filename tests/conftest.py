"""What is left out where its tools are not installed."""

from importlib.util import find_spec

# `nox -s browser` has them; the other sessions need no browser.
collect_ignore = [] if find_spec("playwright") else ["browser"]
