"""Commands about the machine that measures."""
