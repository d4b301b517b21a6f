"""What the link emulator costs, and how much it carries."""
