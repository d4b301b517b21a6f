"""What people read in a terminal: numbers, names, messages and exit codes."""
