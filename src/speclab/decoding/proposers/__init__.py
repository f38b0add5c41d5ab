"""Ways to guess the next tokens, one a file."""
