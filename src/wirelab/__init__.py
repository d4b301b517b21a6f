"""wirelab: a laboratory for API protocols."""
