"""What working databases cost: a copy for each contender, and being idle."""
