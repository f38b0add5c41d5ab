"""Real models: the catalogue, how they are fetched, converted and loaded, and their tokenizers."""
