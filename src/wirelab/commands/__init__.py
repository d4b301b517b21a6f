"""The commands. Each module is one command, in the group of its arguments in `wirelab.cli`."""
