"""`wirelab compare`: a study made of a command line, and what its end says to a script."""
