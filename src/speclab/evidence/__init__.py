"""From rows to claims: estimates, the register, what checks them, and whether they are fresh."""
