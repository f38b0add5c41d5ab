"""A transformers model behind the protocol of the loop: the only place that knows a cache."""
