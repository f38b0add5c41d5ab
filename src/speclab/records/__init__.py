"""What a run writes down: the plan, the rows, the machine, the run itself, and the folder that keeps them."""
