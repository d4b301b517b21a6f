"""`wirelab compare`: make a study from a command line, and an exit code from its result."""
