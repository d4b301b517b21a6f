"""What the commands do. Each module is one command; `wirelab.cli` only reads their arguments."""
