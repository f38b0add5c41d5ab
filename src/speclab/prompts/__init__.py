"""The texts that are continued: kinds, and readers of the formats they come in."""
