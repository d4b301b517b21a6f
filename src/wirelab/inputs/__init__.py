"""What people write is read strictly, and all mistakes of a file are reported at once."""
