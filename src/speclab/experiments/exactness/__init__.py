"""The exact law of the loop's output, by a walk over every outcome, for rules that are right and wrong."""
