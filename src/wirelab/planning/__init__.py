"""A study as a schedule: which blocks, in which order, and how long they take."""
