"""The commands. Each module is one command; `wirelab.cli` reads their arguments."""
