"""How a time is taken: arms in turns, residency, the machine, and what disturbs a measurement."""
