"""Models behind the loop's protocol: a table in numpy, and whatever transformers loads."""
